package org.flowmon.flow.code;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The names of a column's codes ({@code docs/format/flow.md}), as people write and read them. */
public final class CodeNames {
  private final Map<Long, String> byCode = new HashMap<>();
  private final Map<String, Integer> byName = new LinkedHashMap<>(); // in lower case

  private CodeNames() {}

  public static <T> CodeNames of(T[] constants, ToIntFunction<T> code, Function<T, String> name) {
    CodeNames names = new CodeNames();
    for (T constant : constants) {
      names.add(code.applyAsInt(constant), name.apply(constant));
    }
    return names;
  }

  /** Of texts such as {@code 64 forwarded}. */
  public static CodeNames of(String... codes) {
    CodeNames names = new CodeNames();
    for (String code : codes) {
      int space = code.indexOf(' ');
      names.add(Integer.parseInt(code.substring(0, space)), code.substring(space + 1));
    }
    return names;
  }

  private void add(int code, String name) {
    byCode.put((long) code, name);
    byName.put(name.toLowerCase(Locale.ROOT), code);
  }

  /** Null if this version does not know the code. */
  public @Nullable String name(long code) {
    return byCode.get(code);
  }

  /** Takes any case; −1 if no code has the name. */
  public int code(String name) {
    return byName.getOrDefault(name.toLowerCase(Locale.ROOT), -1);
  }

  /** All names, for example {@code S0, S1, SF}. */
  @Override
  public String toString() {
    return byName.values().stream()
        .map(code -> byCode.get((long) code))
        .collect(Collectors.joining(", "));
  }
}
