package org.flowmon.deploy.serve.query;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.flowmon.deploy.serve.http.Exchange;
import org.flowmon.deploy.serve.http.Problem;

/** The formats of answers to queries. */
enum AnswerFormat {
  JSON(Exchange.JSON),
  NDJSON("application/x-ndjson"),
  CSV("text/csv"),
  PARQUET("application/vnd.apache.parquet"),
  ARROW("application/vnd.apache.arrow.stream");

  private final String type;

  AnswerFormat(String type) {
    this.type = type;
  }

  String contentType() {
    return this == CSV ? type + "; charset=utf-8; header=present" : type;
  }

  static String[] names() {
    return Arrays.stream(values())
        .map(format -> format.name().toLowerCase(Locale.ROOT))
        .toArray(String[]::new);
  }

  static AnswerFormat byName(String name) {
    return valueOf(name.toUpperCase(Locale.ROOT));
  }

  /** The first that a header {@code Accept} names; JSON if it takes everything. */
  static AnswerFormat accepted(Optional<String> accept) {
    for (String range : accept.orElse("*/*").split(",", -1)) {
      String plain = range.split(";", 2)[0].strip().toLowerCase(Locale.ROOT);
      if (plain.equals("*/*") || plain.equals("application/*")) {
        return JSON;
      } else if (plain.equals("text/*")) {
        return CSV;
      }
      for (AnswerFormat format : values()) {
        if (format.type.equals(plain)) {
          return format;
        }
      }
    }
    throw new Problem(
        Problem.Code.NOT_ACCEPTABLE,
        "Accept: "
            + accept.orElse("")
            + ": there are "
            + Arrays.stream(values()).map(format -> format.type).collect(Collectors.joining(", ")));
  }
}
