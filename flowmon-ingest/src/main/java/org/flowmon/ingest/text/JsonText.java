package org.flowmon.ingest.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import org.jspecify.annotations.Nullable;

/**
 * Makes JSON that is safe on a terminal. The escapes of {@link ShownText} are escapes of JSON here,
 * so that values are exact. All writers of JSON for people and files take their factory from here.
 */
public final class JsonText {
  private JsonText() {}

  /** Returns a factory whose generators use these escapes. */
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

    /** Half of a surrogate pair does not tell the code point: all halves are escaped. */
    @Override
    public @Nullable SerializableString getEscapeSequence(int unit) {
      return ShownText.isHarmful(unit) ? new SerializedString(ShownText.escape(unit)) : null;
    }
  }
}
