# lavaan's maximum likelihood of the linear models in tests/truth: writes tests/truth/lavaan_estimates.json.
# Run from the project's root with GPSEM_DATA naming the folder of data: Rscript benchmarks/lavaan_estimates.R
# The latents' origins are gpsem's: each marker's intercept 0, the latents' means free.
suppressMessages({library(lavaan); library(jsonlite)})
folder <- Sys.getenv("GPSEM_DATA")
cases <- list(
  holzinger = list(file = "holzinger_swineford1939.csv", text = "
    visual =~ x1 + x2 + x3; textual =~ x4 + x5 + x6; speed =~ x7 + x8 + x9
    x1 ~ 0*1; x4 ~ 0*1; x7 ~ 0*1; visual ~ 1; textual ~ 1; speed ~ 1"),
  democracy = list(file = "political_democracy.csv", text = "
    ind60 =~ x1 + x2 + x3; dem60 =~ y1 + y2 + y3 + y4; dem65 =~ y5 + y6 + y7 + y8
    dem60 ~ ind60; dem65 ~ ind60 + dem60
    x1 ~ 0*1; y1 ~ 0*1; y5 ~ 0*1; ind60 ~ 1; dem60 ~ 1; dem65 ~ 1"))
lines <- lapply(cases, function(case) {
  fit <- sem(case$text, data = read.csv(file.path(folder, case$file)), meanstructure = TRUE)
  est <- parameterEstimates(fit)
  est <- est[est$se > 0, c("lhs", "op", "rhs", "est", "se")]
  vapply(seq_len(nrow(est)), function(n) toJSON(as.list(est[n, ]), auto_unbox = TRUE, digits = 10), "")
})
bodies <- mapply(function(name, rows) paste0(" \"", name, "\": [\n  ", paste(rows, collapse = ",\n  "), "\n ]"), names(lines), lines)
dir.create("tests/truth", showWarnings = FALSE)
writeLines(c("{", paste(bodies, collapse = ",\n"), "}"), "tests/truth/lavaan_estimates.json")
