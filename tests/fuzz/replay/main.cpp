// Runs the stored inputs of a fuzz target through it, without libFuzzer: replay_NAME FOLDER...

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

// The signature required by libFuzzer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

void replay(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string input{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int count, char** arguments) try {
  int replayed = 0;
  for (int i = 1; i < count; ++i)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(arguments[i]))
      if (entry.is_regular_file()) {
        std::cout << entry.path().filename().string() << std::endl;  // names the input that crashes
        replay(entry.path());
        ++replayed;
      }
  std::cout << replayed << " inputs\n";
  return replayed > 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << "an input escaped with an exception: " << error.what() << '\n';
  return 1;
}
