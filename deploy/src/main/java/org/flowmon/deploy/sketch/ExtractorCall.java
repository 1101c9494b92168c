package org.flowmon.deploy.sketch;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.udaf.function.UdafCall;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Value;

/**
 * A call of an extractor on a command line: {@code QUANTILE(0.95)}, {@code MEDIAN}, {@code
 * ESTIMATE(192.0.2.1)}; as in queries, {@code state} may precede the parameters.
 */
record ExtractorCall(String name, List<UdafCall.Argument> parameters) {
  private static final String STATE = "state";

  /** Throws {@link UsageException} that says what was expected. */
  static ExtractorCall parse(String text) {
    String call = text.strip();
    int open = call.indexOf('(');
    String name = (open < 0 ? call : call.substring(0, open)).strip();
    if (!name.matches("[A-Za-z][A-Za-z0-9_]*")) {
      throw new UsageException(
          "'" + text + "': expected an extractor, as QUANTILE(0.95), found '" + name + "'");
    }
    if (open >= 0 && !call.endsWith(")")) {
      throw new UsageException("'" + text + "': expected ')' at its end");
    }
    List<String> words =
        open < 0 ? List.of() : split(call.substring(open + 1, call.length() - 1), text);
    List<UdafCall.Argument> parameters = new ArrayList<>();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (i == 0 && word.equalsIgnoreCase(STATE)) {
        continue;
      }
      if (word.isEmpty()) {
        throw new UsageException("'" + text + "': parameter " + (i + 1) + " is empty");
      }
      try {
        parameters.add(UdafCall.Argument.of(Value.parse(word)));
      } catch (QueryException e) {
        throw new UsageException("'" + text + "': " + e.getMessage());
      }
    }
    return new ExtractorCall(name, parameters);
  }

  private static List<String> split(String inner, String text) {
    List<String> words = new ArrayList<>();
    if (inner.isBlank()) {
      return words;
    }
    boolean quoted = false;
    int from = 0;
    for (int i = 0; i <= inner.length(); i++) {
      if (i == inner.length() || (!quoted && inner.charAt(i) == ',')) {
        words.add(inner.substring(from, i).strip());
        from = i + 1;
      } else if (inner.charAt(i) == '\'') {
        quoted = !quoted;
      }
    }
    if (quoted) {
      throw new UsageException("'" + text + "': a text does not end: expected another quote");
    }
    return words;
  }
}
