package org.flowmon.flow;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The names of a column's codes ({@code docs/format/flow.md}), as people write and read them. */
public final class CodeNames {
  private static final int CODES = 256;

  private final @Nullable String[] byCode = new String[CODES];
  private final Map<String, Integer> byName = new LinkedHashMap<>(); // in lower case

  private CodeNames() {}

  static <T> CodeNames of(T[] constants, ToIntFunction<T> code, Function<T, String> name) {
    CodeNames names = new CodeNames();
    for (T constant : constants) {
      names.byCode[code.applyAsInt(constant)] = name.apply(constant);
      names.byName.put(name.apply(constant).toLowerCase(Locale.ROOT), code.applyAsInt(constant));
    }
    return names;
  }

  /** Null if this version does not know the code. */
  public @Nullable String name(long code) {
    return code >= 0 && code < CODES ? byCode[(int) code] : null;
  }

  /** Takes any case; −1 if no code has the name. */
  public int code(String name) {
    return byName.getOrDefault(name.toLowerCase(Locale.ROOT), -1);
  }

  /** All names, for example {@code S0, S1, SF}. */
  @Override
  public String toString() {
    return byName.values().stream().map(code -> byCode[code]).collect(Collectors.joining(", "));
  }
}
