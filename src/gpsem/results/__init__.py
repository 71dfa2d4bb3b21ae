"""What users are given: tables, verdicts, reports in words. Labels live here and beyond."""
