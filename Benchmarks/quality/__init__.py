"""The measures of scripts/bench quality. Everything but the files of sound needs numpy alone."""
