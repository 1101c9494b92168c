package org.flowmon.ingest.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import org.jspecify.annotations.Nullable;

/** JSON safe on a terminal, for all writers: {@link ShownText}'s escapes keep values exact. */
public final class JsonText {
  private JsonText() {}

  public static JsonFactory factory() {
    return new JsonFactory().setCharacterEscapes(new Escapes());
  }

  private static final class Escapes extends CharacterEscapes {
    private static final long serialVersionUID = 1L;
    private static final int DELETE = 0x7F;

    private final int[] ascii = CharacterEscapes.standardAsciiEscapesForJSON();

    Escapes() {
      ascii[DELETE] = CharacterEscapes.ESCAPE_STANDARD;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
      return ascii;
    }

    /** Half of a surrogate pair does not tell the code point: all are escaped. */
    @Override
    public @Nullable SerializableString getEscapeSequence(int unit) {
      return ShownText.isHarmful(unit) ? new SerializedString(ShownText.escape(unit)) : null;
    }
  }
}
