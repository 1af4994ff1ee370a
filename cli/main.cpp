#include <cli/run.hpp>

#include <iostream>

int main(int argc, char** argv) {
  const int status = tailbound::cli::run(argc, argv, std::cout, std::cerr);
  std::cout.flush();
  return std::cout.good() ? status : tailbound::cli::internal_failure;
}
