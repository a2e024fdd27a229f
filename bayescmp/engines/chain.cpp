// Runs one chain of a Stan program, with CmdStan's sampler and defaults; linked with the C++ that
// stanc makes of the program.
//
//   chain data.json init.json seed chain warmup draws adapt_delta max_treedepth names draws
//
// Writes the names of the columns to the file `names`, one a line, and the draws to the file
// `draws` as they stand in memory, row by row: text would cost more than the sampling. Prints the
// number of every hundredth iteration, and what Stan complains of to the standard error.
#include <stan/callbacks/interrupt.hpp>
#include <stan/callbacks/logger.hpp>
#include <stan/callbacks/writer.hpp>
#include <stan/io/json/json_data.hpp>
#include <stan/io/var_context.hpp>
#include <stan/model/model_base.hpp>
#include <stan/services/error_codes.hpp>
#include <stan/services/sample/hmc_nuts_diag_e_adapt.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

stan::model::model_base& new_model(stan::io::var_context& data, unsigned int seed,
                                   std::ostream* messages);

namespace {

class Draws : public stan::callbacks::writer {
 public:
  using writer::operator();

  Draws(const char* names, const char* draws) : names_(names), file_(draws, std::ios::binary) {}

  void operator()(const std::vector<std::string>& names) override {
    std::ofstream file(names_);
    for (const auto& name : names) file << name << '\n';
    file.close();
    check(file);
  }

  void operator()(const std::vector<double>& row) override {
    file_.write(reinterpret_cast<const char*>(row.data()), row.size() * sizeof(double));
    check(file_);
  }

  void close() {
    file_.close();
    check(file_);
  }

 private:
  static void check(const std::ofstream& file) {
    if (!file) throw std::runtime_error("the draws can't be written: is the disk full?");
  }

  std::string names_;
  std::ofstream file_;
};

class Log : public stan::callbacks::logger {
 public:
  void info(const std::stringstream& text) override { info(text.str()); }
  void info(const std::string& text) override {
    int iteration;
    if (std::sscanf(text.c_str(), "Iteration: %d", &iteration) == 1) {
      std::cout << iteration << std::endl;
    }
  }
  void warn(const std::string& text) override { std::cerr << text << '\n'; }
  void warn(const std::stringstream& text) override { std::cerr << text.str() << '\n'; }
  void error(const std::string& text) override { std::cerr << text << '\n'; }
  void error(const std::stringstream& text) override { std::cerr << text.str() << '\n'; }
  void fatal(const std::string& text) override { std::cerr << text << '\n'; }
  void fatal(const std::stringstream& text) override { std::cerr << text.str() << '\n'; }
};

stan::json::json_data read(const char* path) {
  std::ifstream file(path);
  return stan::json::json_data(file);
}

int sample(char* argv[]) {
  stan::json::json_data data = read(argv[1]), init = read(argv[2]);
  const unsigned int seed = std::stoul(argv[3]), chain = std::stoul(argv[4]);
  const int warmup = std::stoi(argv[5]), draws = std::stoi(argv[6]);
  const double adapt_delta = std::stod(argv[7]);
  const int max_treedepth = std::stoi(argv[8]);
  stan::model::model_base& model = new_model(data, seed, &std::cerr);
  stan::callbacks::interrupt interrupt;
  stan::callbacks::writer nothing;
  Log log;
  Draws out(argv[9], argv[10]);
  // CmdStan's defaults: init_radius 2, thin 1, warm-up not saved, refresh 100, stepsize 1,
  // jitter 0, and gamma, kappa, t0, init_buffer, term_buffer, window of the adaptation
  const int code = stan::services::sample::hmc_nuts_diag_e_adapt(
      model, init, seed, chain, 2, warmup, draws, 1, false, 100, 1, 0, max_treedepth, adapt_delta,
      0.05, 0.75, 10, 75, 50, 25, interrupt, log, nothing, out, nothing);
  out.close();
  return code;
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 11) {
    std::cerr << "this program is run by bayescmp\n";
    return stan::services::error_codes::USAGE;
  }
  try {
    return sample(argv);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return stan::services::error_codes::SOFTWARE;
  }
}
