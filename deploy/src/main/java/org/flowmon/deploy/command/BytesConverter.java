package org.flowmon.deploy.command;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Numbers of bytes such as {@code 1048576}, {@code 512m}, {@code 10g}; units are of 1024. */
public final class BytesConverter implements ITypeConverter<Long> {
  private static final Pattern BYTES = Pattern.compile("(\\d{1,9})([kmgt])|(\\d{1,18})");

  @Override
  public Long convert(String text) {
    Matcher matcher = BYTES.matcher(text.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is no number of bytes: expected a number, also with k, m, g or t: 10g");
    }
    if (matcher.group(3) != null) {
      return Long.parseLong(matcher.group(3));
    }
    long number = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "k" -> number << 10;
      case "m" -> number << 20;
      case "g" -> number << 30;
      default -> Math.multiplyExact(Math.min(number, 1 << 20), 1L << 40);
    };
  }
}
