package org.flowmon.ingest.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;

/**
 * JSON that may be shown on a terminal: what {@link ShownText} escapes is an escape of JSON in it,
 * so that values are exact. All writers of JSON for people and files take their factory from here.
 */
public final class JsonText {
  private JsonText() {}

  /** A factory whose generators escape so. */
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

    /** A half of a pair does not tell what the pair is: all of these are escaped. */
    @Override
    public SerializableString getEscapeSequence(int unit) {
      return ShownText.isHarmful(unit) ? new SerializedString(ShownText.escape(unit)) : null;
    }
  }
}
