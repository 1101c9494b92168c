package org.flowmon.deploy.input;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.file.format.InputFormat;

/** The names that {@code --format} takes. */
public final class FormatNames implements Iterable<String> {
  @Override
  public Iterator<String> iterator() {
    return InputFormat.names().iterator();
  }

  /** Throws {@link UsageException} if it is none; any case. */
  public static String checked(String name) {
    List<String> names = InputFormat.names();
    String lower = name.toLowerCase(Locale.ROOT);
    if (!names.contains(lower)) {
      throw new UsageException(
          "--format " + name + ": expected one of " + String.join(", ", names));
    }
    return lower;
  }
}
