package org.flowmon.deploy.serve.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.jetty.util.Fields.Field;
import org.flowmon.deploy.command.TimeText;
import org.flowmon.deploy.command.UsageException;

/** The parameters of a request's path and query, each once. */
public final class Fields {
  private static final Pattern TIME =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\d([T ]\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z?)?");
  private static final int LONGEST = 19; // digits of a long

  private final Map<String, String> path;
  private final Map<String, String> query = new LinkedHashMap<>();

  Fields(Map<String, String> path, org.eclipse.jetty.util.Fields query) {
    this.path = path;
    for (Field field : query) {
      List<String> values = field.getValues();
      if (values.size() != 1) {
        throw Problem.badRequest("'" + field.getName() + "' is given " + values.size() + " times");
      }
      this.query.put(field.getName(), values.get(0));
    }
  }

  /** A parameter of the path. */
  public String path(String name) {
    String value = path.get(name);
    if (value == null) {
      throw new IllegalArgumentException("the route has no {" + name + "}");
    }
    return value;
  }

  /** Throws a {@link Problem} if the query has another parameter: it would change nothing. */
  public void only(String... names) {
    Set<String> known = Set.of(names);
    for (String name : query.keySet()) {
      if (!known.contains(name)) {
        throw Problem.badRequest(
            "there is no parameter '" + name + "'; expected " + String.join(", ", names));
      }
    }
  }

  public Optional<String> text(String name) {
    return Optional.ofNullable(query.get(name));
  }

  public String required(String name) {
    return text(name)
        .filter(value -> !value.isEmpty())
        .orElseThrow(() -> Problem.badRequest("'" + name + "' is missing"));
  }

  public long integer(String name, long least, long most, long otherwise) {
    String value = query.get(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.matches("-?\\d+") || value.length() > LONGEST) {
      throw Problem.badRequest(name + "=" + value + ": expected a whole number");
    }
    long number = Long.parseLong(value);
    if (number < least || number > most) {
      throw Problem.badRequest(name + "=" + value + ": expected " + least + " … " + most);
    }
    return number;
  }

  public boolean flag(String name, boolean otherwise) {
    return choice(name, otherwise ? "true" : "false", "true", "false").equals("true");
  }

  public String choice(String name, String otherwise, String... values) {
    String value = query.getOrDefault(name, otherwise);
    if (!List.of(values).contains(value)) {
      throw Problem.badRequest(
          name + "=" + value + ": expected one of " + String.join(", ", values));
    }
    return value;
  }

  /** In microseconds. */
  public long time(String name, long otherwise) {
    String value = query.get(name);
    return value == null ? otherwise : time(name, value);
  }

  /** In microseconds; the name is for errors. */
  static long time(String name, String value) {
    if (!TIME.matcher(value).matches()) {
      throw Problem.badRequest(
          name + "=" + value + ": expected a time as 2026-11-21T08:00:00Z or 2026-11-21");
    }
    try {
      return TimeText.parse(value);
    } catch (UsageException e) {
      throw Problem.badRequest(name + ": " + e.getMessage());
    }
  }
}
