package org.flowmon.ingest.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ShownTextTest {
  /** One code point of each misleading kind. */
  private static final int[] HARMFUL = {
    0, 7, 8, '\n', '\r', '\t', 0x1B, 0x7F, 0x80, 0x85, 0x9B, 0x9F, 0xAD, 0x61C, 0x200B, 0x200E,
    0x200F, 0x2028, 0x2029, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2060, 0x2066, 0x2067, 0x2068,
    0x2069, 0xFEFF, 0xE0001, 0xE0041
  };

  @Test
  void whatSteersATerminalOrTurnsTextIsShownByItsNumber() {
    assertEquals("\\x1b[2J", ShownText.of("\u001b[2J"));
    assertEquals("a\\u202eb\\u009b", ShownText.of("a\u202eb\u009b"));
    assertEquals("\\x0aforged", ShownText.of("\nforged"));
    assertEquals("\\udb40\\udc01", ShownText.of(Character.toString(0xE0001)));
    assertEquals("\\ud800x", ShownText.of("\ud800x"));
    for (int codePoint : HARMFUL) {
      String shown = ShownText.of("a" + Character.toString(codePoint) + "é");
      assertTrue(shown.matches("a(\\\\x..|(\\\\u....)+)é"), shown);
    }
  }

  @Test
  void textsOfTheWorldStayAsTheyAre() {
    String text = "dns, é € 😀 שלום سلام 漢字 ─ C:\\x1b";
    assertSame(text, ShownText.of(text));
  }

  @Test
  void jsonIsSafeAndExactAtOnce() throws Exception {
    for (int codePoint : HARMFUL) {
      String text = "€" + Character.toString(codePoint) + "😀";
      StringWriter written = new StringWriter();
      try (JsonGenerator json = JsonText.factory().createGenerator(written)) {
        json.writeString(text);
      }
      assertFalse(
          written.toString().codePoints().anyMatch(ShownText::isHarmful), written.toString());
      assertEquals(text, value(written.toString()));
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (JsonGenerator json = JsonText.factory().createGenerator(bytes)) {
        json.writeString(text);
      }
      assertEquals(text, value(bytes.toString(StandardCharsets.UTF_8)));
      if (codePoint >= 0x7F) { // raw text of other writers keeps its value when it is shown
        assertEquals(text, value(ShownText.of('"' + text + '"')));
      }
    }
  }

  private static String value(String json) throws Exception {
    try (JsonParser parser = JsonText.factory().createParser(json)) {
      return parser.nextTextValue();
    }
  }
}
