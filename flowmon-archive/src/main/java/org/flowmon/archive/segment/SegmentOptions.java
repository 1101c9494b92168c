package org.flowmon.archive.segment;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.flow.FlowColumn;

/**
 * Options of sealing: the layout of segments, their compression, the columns their sidecars index.
 * They change no answer, and segments with different options can be in one archive. As text ({@link
 * #toString}, {@link #parse}): {@code compact codec=zstd:1 page=65536 split=false
 * index=src_addr,dst_addr}, or {@code lookup index=…}.
 *
 * @param codec {@link SegmentCodec#NONE} for {@link SegmentProfile#LOOKUP}
 * @param pageBytes approximate bytes of a page's values, uncompressed: {@link #MIN_PAGE} … {@link
 *     #MAX_PAGE}; unused for {@link SegmentProfile#LOOKUP}
 * @param byteStreamSplit whether BYTE_STREAM_SPLIT of integers is used if it is smallest; some
 *     other readers do not support it
 * @param indexed the columns that sidecars index if a segment has them; at least both addresses
 */
public record SegmentOptions(
    SegmentProfile profile,
    SegmentCodec codec,
    int level,
    int pageBytes,
    boolean byteStreamSplit,
    Set<FlowColumn> indexed) {
  public static final int MIN_PAGE = 4 << 10;

  public static final int MAX_PAGE = 16 << 20;

  public static final int DEFAULT_PAGE = 64 << 10;

  /** Any row at once; default indexed columns. */
  public static final SegmentOptions LOOKUP =
      new SegmentOptions(
          SegmentProfile.LOOKUP,
          SegmentCodec.NONE,
          0,
          DEFAULT_PAGE,
          false,
          new TreeSet<>(SegmentIndex.DEFAULT_INDEXED));

  /** Zstandard at its fastest, pages of 64 KiB; default indexed columns. */
  public static final SegmentOptions COMPACT =
      new SegmentOptions(
          SegmentProfile.COMPACT,
          SegmentCodec.ZSTD,
          SegmentCodec.ZSTD.defaultLevel(),
          DEFAULT_PAGE,
          false,
          LOOKUP.indexed);

  public SegmentOptions {
    require(
        profile == SegmentProfile.COMPACT || codec == SegmentCodec.NONE,
        "the profile lookup is not compressed: codec " + codec.text() + " needs profile compact");
    require(
        level >= codec.minLevel() && level <= codec.maxLevel(),
        String.format(
            Locale.ROOT,
            "level %d of %s, expected %d … %d",
            level,
            codec.text(),
            codec.minLevel(),
            codec.maxLevel()));
    require(
        pageBytes >= MIN_PAGE && pageBytes <= MAX_PAGE,
        "pages of " + pageBytes + " bytes, expected " + MIN_PAGE + " … " + MAX_PAGE);
    require(
        indexed.contains(FlowColumn.SRC_ADDR) && indexed.contains(FlowColumn.DST_ADDR),
        "src_addr and dst_addr are always indexed");
    indexed = Collections.unmodifiableSet(new TreeSet<>(indexed));
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  public static SegmentOptions of(SegmentProfile profile) {
    return profile == SegmentProfile.LOOKUP ? LOOKUP : COMPACT;
  }

  /** With this compression, if the profile is {@link SegmentProfile#COMPACT}. */
  public SegmentOptions withCodec(SegmentCodec newCodec, int newLevel) {
    return new SegmentOptions(profile, newCodec, newLevel, pageBytes, byteStreamSplit, indexed);
  }

  public SegmentOptions withPageBytes(int bytes) {
    return new SegmentOptions(profile, codec, level, bytes, byteStreamSplit, indexed);
  }

  public SegmentOptions withByteStreamSplit(boolean split) {
    return new SegmentOptions(profile, codec, level, pageBytes, split, indexed);
  }

  public SegmentOptions withIndexed(Collection<FlowColumn> columns) {
    SortedSet<FlowColumn> some = new TreeSet<>();
    some.addAll(columns);
    return new SegmentOptions(profile, codec, level, pageBytes, byteStreamSplit, some);
  }

  /**
   * Parses the profile, then any of {@code codec=NAME} or {@code codec=NAME:LEVEL}, {@code
   * page=BYTES}, {@code split=true|false}, {@code index=COLUMN,…}, separated by spaces; others are
   * the profile's defaults. An index list that begins with {@code +} adds to the default.
   *
   * @throws IllegalArgumentException saying what was found and what was expected
   */
  public static SegmentOptions parse(String text) {
    return parse(text, name -> List.of(known(name)));
  }

  /** As {@link #parse(String)}, with what names of columns in the text mean; it may throw. */
  public static SegmentOptions parse(String text, Function<String, List<FlowColumn>> names) {
    String[] words = text.strip().split("\\s+", -1);
    SegmentOptions options = of(named(SegmentProfile.values(), words[0], "profile"));
    for (String word : List.of(words).subList(1, words.length)) {
      int at = word.indexOf('=');
      String value = word.substring(at + 1);
      options =
          switch (at < 0 ? "" : word.substring(0, at)) {
            case "codec" -> withCodec(options, value);
            case "page" -> options.withPageBytes(number(value, word));
            case "split" -> options.withByteStreamSplit(flag(value));
            case "index" -> options.withIndexed(columns(value, names));
            default ->
                throw new IllegalArgumentException(
                    "'" + word + "', expected codec=, page=, split= or index=");
          };
    }
    return options;
  }

  private static <E extends Enum<E>> E named(E[] all, String name, String what) {
    List<String> names = new ArrayList<>();
    for (E one : all) {
      names.add(one.name().toLowerCase(Locale.ROOT));
      if (one.name().equalsIgnoreCase(name)) {
        return one;
      }
    }
    throw new IllegalArgumentException(
        "no " + what + " '" + name + "', expected one of " + String.join(", ", names));
  }

  private static SegmentOptions withCodec(SegmentOptions options, String value) {
    String[] parts = value.split(":", 2);
    SegmentCodec codec = named(SegmentCodec.values(), parts[0], "codec");
    return options.withCodec(
        codec, parts.length == 1 ? codec.defaultLevel() : number(parts[1], value));
  }

  private static int number(String value, String word) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + word + "', expected a whole number", e);
    }
  }

  private static boolean flag(String value) {
    require(
        value.equals("true") || value.equals("false"), "split=" + value + ", expected true, false");
    return value.equals("true");
  }

  /** The column that has a name in this process. */
  public static FlowColumn known(String name) {
    FlowColumn column = FlowColumn.byName(name);
    if (column == null) {
      throw new IllegalArgumentException("no column '" + name + "' to index");
    }
    return column;
  }

  private static Set<FlowColumn> columns(String value, Function<String, List<FlowColumn>> names) {
    Set<FlowColumn> columns = new TreeSet<>();
    boolean adds = value.startsWith("+");
    if (adds) {
      columns.addAll(LOOKUP.indexed);
    }
    for (String name : (adds ? value.substring(1) : value).split(",", -1)) {
      columns.addAll(names.apply(name));
    }
    return columns;
  }

  @Override
  public String toString() {
    String index =
        " index=" + indexed.stream().map(FlowColumn::sqlName).collect(Collectors.joining(","));
    return profile == SegmentProfile.LOOKUP
        ? profile.text() + index
        : String.format(
            Locale.ROOT,
            "%s codec=%s:%d page=%d split=%b%s",
            profile.text(),
            codec.text(),
            level,
            pageBytes,
            byteStreamSplit,
            index);
  }
}
