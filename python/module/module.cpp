#include <pybind11/stl.h>
#include <cli/command_runner.hpp>
#include <cli/help.hpp>
#include <python/module/columns.hpp>
#include <python/module/forked.hpp>
#include <python/module/sizing.hpp>
#include <tailbound/core/error.hpp>
#include <tailbound/run/processes.hpp>
#include <tailbound/run/threads.hpp>
#include <tailbound/version.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The extension module of the Python package (python/tailbound): runs commands in process.

namespace tailbound::python {
namespace {

using Words = std::vector<std::pair<std::string, std::string>>;

/// One CommandRunner per command, created on first use. With Arithmetic held.
const cli::CommandRunner& runner(const std::string& command) {
  static std::map<std::string, std::unique_ptr<cli::CommandRunner>> runners;
  std::unique_ptr<cli::CommandRunner>& made = runners[command];
  if (!made) made = std::make_unique<cli::CommandRunner>(command);
  return *made;
}

/// The answer, and whether Ctrl-C was pressed meanwhile.
/// \param contents    by name: read instead of files of these names
/// \param time_limit  in seconds: points are then computed by worker processes, which can be killed
py::tuple run_command(const std::string& command, const Words& given, const py::object& progress,
                      const std::map<std::string, std::string>& contents, std::optional<double> time_limit) {
  // The thread may outlive this call.
  const auto made = std::make_shared<std::shared_ptr<Shown>>();
  const Cut cut = carry_out(
      [command, given, made, contents, time_limit](answers::Run run) {
        std::optional<run::Processes> executor;
        if (time_limit && runner(command).options().find("--threads") == nullptr)
          run.executor = &executor.emplace(run::all_cores());
        *made = std::make_shared<Shown>(runner(command).answer(given, run, contents));
      },
      progress, time_limit);
  return py::make_tuple(std::move(*made), cut.requested, cut.late);
}

/// (minimum, maximum, are they powers of ten?), or None.
py::object range_of_interest(const std::optional<options::Slider>& slider) {
  if (!slider) return py::none();
  return py::make_tuple(slider->minimum, slider->maximum, slider->powers_of_ten);
}

py::list options(const cli::Command& command) {
  py::list list;
  for (const auto& option : command.options.options) {
    py::dict made;
    made["name"] = option.name;
    made["type"] = option.type;
    made["help"] = option.help;
    made["group"] = option.group;
    made["required"] = option.required || option.minimum > 0;
    made["choices"] = option.values.choices;
    made["slider"] = range_of_interest(option.values.slider);
    made["kind"] = option.flag != nullptr ? "flag" : option.words != nullptr ? "words" : "text";
    list.append(made);
  }
  return list;
}

/// The declarations of the command line, from which the functions of the package are generated
/// (python/generate.py).
py::list commands() {
  py::list list;
  for (const std::string& name : cli::command_names()) {
    const cli::CommandRunner made(name);
    py::dict command;
    command["name"] = name;
    command["purpose"] = made.command().purpose;
    command["draws"] = made.command().draws;
    command["options"] = options(made.command());
    command["example"] = cli::example_of(name);
    list.append(command);
  }
  return list;
}

void raise(const char* name, const py::tuple& arguments) {
  const py::object type = py::module_::import("tailbound._errors").attr(name);
  PyErr_SetObject(type.ptr(), type(*arguments).ptr());
}

void translate(std::exception_ptr thrown) {
  if (!thrown) return;
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const InvalidArgument& error) {
    raise("InvalidArgument", py::make_tuple(error.what(), error.argument(), error.value(), error.legal()));
  } catch (const ParseError& error) {
    raise("ParseError", py::make_tuple(error.what(), error.source(), error.line(), error.column()));
  } catch (const Stopped& error) {
    raise("Stopped", py::make_tuple(error.what()));
  } catch (const Unstable& error) {
    raise("Unstable", py::make_tuple(error.what()));
  } catch (const LimitExceeded& error) {
    raise("LimitExceeded", py::make_tuple(error.what()));
  } catch (const NoAnswer& error) {
    raise("NoAnswer", py::make_tuple(error.what()));
  } catch (const Error& error) {
    raise("Error", py::make_tuple(error.what()));
  }
}

}  // namespace
}  // namespace tailbound::python

PYBIND11_MODULE(_tailbound, module) {
  using namespace tailbound::python;
  module.doc() = "The library in process; use the package tailbound.";
  module.attr("__version__") = TAILBOUND_VERSION;
  py::register_exception_translator(&translate);
  py::class_<Columns>(module, "Columns")
      .def(py::init<std::size_t>(), py::arg("rows") = 0)
      .def("append", &Columns::append, py::arg("other"))
      .def("__len__", &Columns::rows)
      .def("keys", &Columns::keys)
      .def("column", &Columns::column, py::arg("key"))
      .def(py::pickle([](const Columns& columns) { return py::bytes(columns.to_bytes()); },
                      [](const py::bytes& bytes) { return Columns::from_bytes(std::string(bytes)); }));
  py::class_<Shown, std::shared_ptr<Shown>>(module, "Shown")
      .def("written", &Shown::written, py::arg("format"), py::arg("quiet") = false)
      .def("__len__", &Shown::size)
      .def("content", &Shown::content, py::arg("results") = true)
      .def("table", &Shown::table, py::arg("result"), py::arg("table"))
      .def("columns", &Shown::columns)
      .def("columns_of", &Shown::columns_of, py::arg("rows"))
      .def("refused", &Shown::refused)
      .def("part", &Shown::part, py::arg("row"))
      .def("values", &Shown::values, py::arg("key"), py::arg("rows"))
      .def("table_columns", &Shown::table_columns, py::arg("result"), py::arg("table"))
      .def("svg", &Shown::svg)
      .def("picture", &Shown::picture);
  py::class_<Forked>(module, "Forked").def("next", &Forked::next);
  module.def(
      "forked",
      [](const py::function& work, std::size_t count, int processes) {
        return std::make_unique<Forked>(work, count, processes);
      },
      py::arg("work"), py::arg("count"), py::arg("processes"));
  module.def("ask", &run_command, py::arg("command"), py::arg("given"), py::arg("progress"),
             py::arg("contents") = std::map<std::string, std::string>(), py::arg("time_limit") = py::none());
  module.def("commands", &commands);
  module.def("size_buffer", &size_buffer, py::arg("given"));
}
