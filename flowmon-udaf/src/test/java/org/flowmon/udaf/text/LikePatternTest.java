package org.flowmon.udaf.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class LikePatternTest {
  private static final String[] SIGNS = {
    "a", "b", "%", "_", "\\%", "\\_", "\\\\", "\uD83D\uDE00", "\n"
  };
  private static final String[] TEXTS = {"a", "b", "%", "_", "\\", "\uD83D\uDE00", "\n"};

  @Test
  void matchesAsTheRegularExpressionThatSaysTheSame() {
    Random random = new Random(5);
    int matched = 0;
    for (int i = 0; i < 100_000; i++) {
      StringBuilder pattern = new StringBuilder();
      StringBuilder regex = new StringBuilder();
      for (int n = random.nextInt(6); n > 0; n--) {
        String sign = SIGNS[random.nextInt(SIGNS.length)];
        pattern.append(sign);
        regex.append(
            switch (sign) {
              case "%" -> ".*";
              case "_" -> ".";
              default -> Pattern.quote(sign.startsWith("\\") ? sign.substring(1) : sign);
            });
      }
      StringBuilder text = new StringBuilder();
      for (int n = random.nextInt(6); n > 0; n--) {
        text.append(TEXTS[random.nextInt(TEXTS.length)]);
      }
      boolean expected = Pattern.compile(regex.toString(), Pattern.DOTALL).matcher(text).matches();
      matched += expected ? 1 : 0;
      boolean found = new LikePattern(pattern.toString()).matches(text.toString());
      assertEquals(expected, found, pattern + " of " + text);
    }
    assertTrue(matched > 5_000, "only " + matched + " matched");
  }

  /** It would try 2^200 ways if each sign of any text were tried with all others. */
  @Test
  void manySignsOfAnyTextTakeNoExponentialTime() {
    assertFalse(new LikePattern("%a".repeat(200) + "b").matches("a".repeat(20_000)));
  }

  @Test
  void aBackslashStandsBeforeASignOnly() {
    assertThrows(IllegalArgumentException.class, () -> new LikePattern("a\\"));
    assertThrows(IllegalArgumentException.class, () -> new LikePattern("\\a"));
  }
}
