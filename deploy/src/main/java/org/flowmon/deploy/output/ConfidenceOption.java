package org.flowmon.deploy.output;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/**
 * Tells how far an answer can be trusted, beside it: rows on standard output stay rows. People get
 * lines on standard error, in any format; programs a JSON object where they want it.
 */
public final class ConfidenceOption {
  @Option(
      names = "--confidence",
      paramLabel = "FILE",
      description = {
        "Write what the archive holds, what has expired, gaps and sampling as one JSON object to"
            + " FILE; - is standard error. Without it they are told on standard error in words."
      })
  private Optional<String> file = Optional.empty();

  /** In words unless a file is asked for. */
  public void tell(List<String> lines, Facts facts) throws IOException {
    if (file.isEmpty()) {
      lines.forEach(System.err::println);
    }
    write(facts);
  }

  /** For an answer that is a JSON object and has the facts in it. */
  public void write(Facts facts) throws IOException {
    if (file.isEmpty()) {
      return;
    }
    StringWriter text = new StringWriter();
    facts.writeJsonLine(text);
    if (file.get().equals("-")) {
      System.err.print(text);
    } else {
      Files.writeString(Path.of(file.get()), text.toString(), StandardCharsets.UTF_8);
    }
  }
}
