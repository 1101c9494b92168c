package org.flowmon.deploy.query;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.flowmon.deploy.output.ConfidenceOption;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.output.OutputFormat;

/** Standard output and error. */
public record StandardOutput(PrintWriter rows, ConfidenceOption confidence)
    implements PrintedQuery.Output {
  public static StandardOutput of(OutputFormat format, ConfidenceOption confidence) {
    return new StandardOutput(
        new PrintWriter(format.stream(System.out), false, StandardCharsets.UTF_8), confidence);
  }

  @Override
  public void note(String line) {
    System.err.println(line);
  }

  @Override
  public void confidence(List<String> lines, Facts facts) throws IOException {
    confidence.tell(lines, facts);
  }
}
