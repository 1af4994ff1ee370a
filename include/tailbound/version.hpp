#pragma once

/// The version, for preprocessor and text: the build, the documentation and the Python package read it here.
#define TAILBOUND_VERSION_MAJOR 1
#define TAILBOUND_VERSION_MINOR 0
#define TAILBOUND_VERSION_PATCH 0
#define TAILBOUND_VERSION "1.0.0"
/// Of the manual pages.
#define TAILBOUND_VERSION_DATE "2026-11-30"
