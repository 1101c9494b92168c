package org.flowmon.deploy.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.TypeConversionException;

final class DurationConverterTest {
  private final DurationConverter converter = new DurationConverter();

  @Test
  void everyUnitIsKnown() {
    assertEquals(Duration.ofMillis(500), converter.convert("500ms"));
    assertEquals(Duration.ofSeconds(60), converter.convert("60s"));
    assertEquals(Duration.ofMinutes(5), converter.convert("5m"));
    assertEquals(Duration.ofHours(2), converter.convert("2h"));
    assertEquals(Duration.ofDays(14), converter.convert("14d"));
  }

  @Test
  void anythingElseIsRefusedWithWhatWasExpected() {
    for (String text : new String[] {"", "60", "s", "-1s", "1.5s", "60 s", "60x", "9999999999s"}) {
      TypeConversionException e =
          assertThrows(TypeConversionException.class, () -> converter.convert(text), text);
      assertTrue(e.getMessage().contains("expected"), e.getMessage());
    }
  }
}
