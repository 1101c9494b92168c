package org.flowmon.jobs.enrich;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Values of a section of a file in MaxMind's format. A place is −1 if there is no value: then
 * fields, texts and numbers of it are none, too.
 */
final class MmdbValues {
  /** Longer texts are cut: no name is. */
  static final int MAX_TEXT = 255;

  // Texts are decoded for each network that points at one: a huge one would never end.
  private static final int MAX_TEXT_BYTES = 16 * MAX_TEXT;

  private static final int POINTER = 1;
  private static final int TEXT = 2;
  private static final int UINT16 = 5;
  private static final int UINT32 = 6;
  private static final int MAP = 7;
  private static final int INT32 = 8;
  private static final int UINT64 = 9;
  private static final int UINT128 = 10;
  private static final int ARRAY = 11;
  private static final int BOOLEAN = 14;
  private static final int FLOAT = 15;

  private final byte[] bytes;
  private final int from;
  private final int to;
  private long budget;

  // The value that was read last: its type, size, and where its content begins.
  private int type;
  private int size;
  private int content;

  /**
   * Of {@code bytes[from … to)}, where pointers begin at {@code from}; {@code budget}: values and
   * bytes of keys that may be passed in all.
   */
  MmdbValues(byte[] bytes, int from, int to, long budget) {
    this.bytes = bytes;
    this.from = from;
    this.to = to;
    this.budget = budget;
  }

  /** The place of the value under a path of keys. */
  int field(int map, String... path) {
    int at = map;
    for (String key : path) {
      at = entry(at, key);
    }
    return at;
  }

  private int entry(int map, String key) {
    if (map < 0) {
      return -1;
    }
    read(followed(map));
    if (type != MAP) {
      return -1;
    }
    int entries = size;
    int at = content;
    for (int i = 0; i < entries; i++) {
      read(at);
      int afterKey = end();
      read(followed(at));
      if (type != TEXT) {
        throw new EnrichmentException("the key of a map is no text: the file is damaged");
      }
      if (isContent(key)) {
        return afterKey;
      }
      at = skipped(afterKey);
    }
    return -1;
  }

  private boolean isContent(String key) {
    if (key.length() != size) {
      return false;
    }
    for (int i = 0; i < size; i++) {
      if (bytes[content + i] != (byte) key.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Null if it is no text. */
  @Nullable String text(int place) {
    if (place < 0) {
      return null;
    }
    read(followed(place));
    if (type != TEXT) {
      return null;
    }
    if (size > MAX_TEXT_BYTES) {
      throw new EnrichmentException("a text has " + size + " bytes: the file is damaged");
    }
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .decode(ByteBuffer.wrap(bytes, content, size))
              .toString();
      return text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    } catch (CharacterCodingException e) {
      throw new EnrichmentException("a text is not UTF-8: the file is damaged");
    }
  }

  /** Null if it is no whole number of at most 63 bits. */
  @Nullable Long number(int place) {
    if (place < 0) {
      return null;
    }
    read(followed(place));
    boolean isNumber =
        type == UINT16 || type == UINT32 || type == UINT64 || type == UINT128 || type == INT32;
    if (!isNumber || size > 16) {
      return null;
    }
    long value = 0;
    for (int i = 0; i < size; i++) {
      if (value >>> 55 != 0) {
        return null;
      }
      value = value << 8 | (bytes[content + i] & 0xff);
    }
    return type == INT32 && size == 4 ? (long) (int) value : (Long) value;
  }

  /** The value itself, if a place has a pointer: a pointer to a pointer is not allowed. */
  private int followed(int place) {
    read(place);
    if (type != POINTER) {
      return place;
    }
    long value = 0;
    for (int i = 0; i < size; i++) {
      value = value << 8 | (bytes[content + i] & 0xff);
    }
    int control = bytes[place] & 0xff;
    long target =
        switch (size) {
          case 1 -> ((control & 7L) << 8) | value;
          case 2 -> ((control & 7L) << 16 | value) + 2048;
          case 3 -> ((control & 7L) << 24 | value) + 526_336;
          default -> value;
        };
    if (target >= to - from) {
      throw new EnrichmentException("a pointer leads behind the data: the file is damaged");
    }
    read(from + (int) target);
    if (type == POINTER) {
      throw new EnrichmentException("a pointer leads to a pointer: the file is damaged");
    }
    return from + (int) target;
  }

  /** The place after a value with all its parts; pointers in it are not followed. */
  private int skipped(int place) {
    int at = place;
    for (long left = 1; left > 0; left--) {
      read(at);
      at = end();
      left += type == MAP ? 2L * size : type == ARRAY ? size : 0;
    }
    return at;
  }

  /** After the content of the value read last, of a map or array after its head. */
  private int end() {
    return type == MAP || type == ARRAY || type == BOOLEAN ? content : content + size;
  }

  /** Reads control byte and size, and checks that the content lies within the section. */
  private void read(int place) {
    if (--budget < 0) {
      throw new EnrichmentException("its records share too much to be read: the file is damaged");
    }
    int at = place;
    int control = next(at++);
    type = control >>> 5;
    if (type == POINTER) {
      size = (control >>> 3 & 3) + 1;
    } else {
      if (type == 0) {
        type = next(at++) + 7;
        if (type < INT32 || type > FLOAT) {
          throw new EnrichmentException("a value of type " + type + ": the file is damaged");
        }
      }
      int more = (control & 31) - 28;
      size = control & 31;
      if (more > 0) {
        int added = 0;
        for (int i = 0; i < more; i++) {
          added = added << 8 | next(at++);
        }
        size = added + (more == 1 ? 29 : more == 2 ? 285 : 65_821);
      }
    }
    content = at;
    if (end() > to) {
      throw new EnrichmentException("a value goes beyond the data: the file is damaged");
    }
  }

  private int next(int at) {
    if (at >= to) {
      throw new EnrichmentException("a value goes beyond the data: the file is damaged");
    }
    return bytes[at] & 0xff;
  }
}
