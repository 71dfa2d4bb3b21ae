# What lavaan makes of the texts in tests/: writes tests/syntax/lavaan_parsed.json and tests/model/lavaan_tables.json.
# Run from the project's root: Rscript benchmarks/lavaan_reference.R (Debian: r-cran-lavaan, r-cran-jsonlite)
suppressMessages({library(lavaan); library(jsonlite)})

read_cases <- function(file) {
  lines <- readLines(file, encoding = "UTF-8")
  heads <- grep("^===", lines)
  ends <- c(heads[-1] - 1, length(lines))
  texts <- mapply(function(a, b) paste0(paste(lines[(a + 1):b], collapse = "\n"), "\n"), heads, ends)
  names(texts) <- trimws(sub("\\|.*", "", sub("^=== *", "", lines[heads])))
  texts
}

# One line of JSON a row, empty fields left out, so that a change of lavaan shows as a change of lines.
lines_of <- function(frame) {
  vapply(seq_len(nrow(frame)), function(n) {
    row <- lapply(as.list(frame[n, , drop = FALSE]), function(x) x[[1]])
    toJSON(row[!vapply(row, function(x) is.na(x) || identical(x, ""), TRUE)], auto_unbox = TRUE, digits = NA)
  }, "")
}

parsed <- function(text) {
  flat <- tryCatch(suppressWarnings(lavParseModelString(text)), error = function(e) NULL)
  if (is.null(flat)) return(NULL)
  wanted <- c("lhs", "op", "rhs", "block", "fixed", "start", "lower", "upper", "label", "prior", "efa", "rv")
  constraints <- vapply(attr(flat, "constraints"), function(x) toJSON(x[c("lhs", "op", "rhs")], auto_unbox = TRUE), "")
  c(lines_of(as.data.frame(flat[wanted], stringsAsFactors = FALSE)), constraints)
}

tabled <- function(text, std_lv) {
  full <- lavaanify(text, meanstructure = TRUE, int.ov.free = TRUE, int.lv.free = FALSE, auto.fix.first = !std_lv,
                    std.lv = std_lv, auto.fix.single = TRUE, auto.var = TRUE, auto.cov.lv.x = TRUE, auto.cov.y = TRUE)
  full <- full[full$op %in% c("=~", "~", "~~", "~1", ":="), c("lhs", "op", "rhs", "user", "free", "ustart", "label")]
  lines_of(full)
}

save_cases <- function(file, cases) {
  bodies <- mapply(function(name, rows) {
    head <- paste0(" ", toJSON(name, auto_unbox = TRUE), ": ")
    if (is.null(rows)) paste0(head, "null") else paste0(head, "[\n  ", paste(rows, collapse = ",\n  "), "\n ]")
  }, names(cases), cases)
  about <- toJSON(list(lavaan = as.character(packageVersion("lavaan"))), auto_unbox = TRUE)
  writeLines(c("{", paste0("\"about\": ", about, ","), "\"cases\": {", paste(bodies, collapse = ",\n"), "}", "}"), file)
}

texts <- read_cases("tests/syntax/lavaan_cases.txt")
save_cases("tests/syntax/lavaan_parsed.json", lapply(texts, parsed))
models <- read_cases("tests/model/table_cases.txt")
save_cases("tests/model/lavaan_tables.json", lapply(models, function(text) tabled(text, grepl("std_lv", text))))
cat("wrote", length(texts), "parsed texts and", length(models), "tables\n")
