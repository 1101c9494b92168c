package org.flowmon.deploy.export.file;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportColumn.Kind;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/** Rows of every kind in blocks of random sizes, with what a reader should see. */
final class RandomExportRows implements ExportRows {
  private static final int MOST_BLOCK = 700;

  private final Random random;
  private final List<ExportColumn> columns = new ArrayList<>();
  private final double[] nullShare;
  private final int wordMost;
  private int left;
  private Cell[][] block = {};

  /** The cells of each column so far, as text; null is NULL. */
  final List<List<@Nullable String>> expected = new ArrayList<>();

  private record Cell(long high, long low, String text, boolean isNull) {}

  RandomExportRows(long seed, int rows, int longestText) {
    random = new Random(seed);
    left = rows;
    wordMost = longestText;
    int count = Kind.values().length + random.nextInt(5);
    nullShare = new double[count];
    for (int c = 0; c < count; c++) {
      Kind kind =
          Kind.values()[c < Kind.values().length ? c : random.nextInt(Kind.values().length)];
      columns.add(new ExportColumn("c" + c + kind, kind, null, null));
      nullShare[c] = random.nextInt(3) / 2.0 * random.nextDouble();
      nullShare[c] = random.nextInt(9) == 0 ? 1 : nullShare[c];
      expected.add(new ArrayList<>());
    }
  }

  @Override
  public List<ExportColumn> columns() {
    return columns;
  }

  @Override
  public boolean next() {
    int rows = Math.min(left, 1 + random.nextInt(MOST_BLOCK));
    left -= rows;
    block = new Cell[rows][columns.size()];
    for (Cell[] row : block) {
      for (int c = 0; c < row.length; c++) {
        row[c] = cell(columns.get(c).kind(), random.nextDouble() < nullShare[c]);
        expected.get(c).add(row[c].isNull() ? null : row[c].text());
      }
    }
    return rows > 0;
  }

  private Cell cell(Kind kind, boolean isNull) {
    long any = random.nextLong() >> random.nextInt(64);
    long high = random.nextLong() >> (2 + random.nextInt(62)); // below 10^38
    return switch (kind) {
      case BOOLEAN -> new Cell(0, any & 1, (any & 1) == 1 ? "true" : "false", isNull);
      case UINT8 -> number(any & 0xFF, isNull);
      case UINT16 -> number(any & 0xFFFF, isNull);
      case UINT32 -> number(any & 0xFFFF_FFFFL, isNull);
      case INT64, TIMESTAMP, DURATION -> number(any, isNull);
      case INT128 ->
          new Cell(
              high,
              any,
              new java.math.BigInteger(Long.toString(high))
                  .shiftLeft(64)
                  .add(new java.math.BigInteger(Long.toUnsignedString(any)))
                  .toString(),
              isNull);
      case DOUBLE -> {
        double value = random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20.0);
        yield new Cell(0, Double.doubleToRawLongBits(value), Double.toString(value), isNull);
      }
      case ADDRESS -> {
        boolean isV4 = random.nextBoolean();
        IpAddress address =
            isV4
                ? IpAddress.parse("10.1." + (any & 0xFF) + "." + (any >> 8 & 0xFF))
                : new IpAddress(0x2001_0db8_0000_0000L, any);
        yield new Cell(address.hi(), address.lo(), address.toString(), isNull);
      }
      case TEXT -> new Cell(0, 0, word(), isNull);
    };
  }

  private static Cell number(long value, boolean isNull) {
    return new Cell(value >> 63, value, Long.toString(value), isNull);
  }

  private String word() {
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(wordMost + 1); left > 0; left--) {
      text.appendCodePoint(new int[] {'a', 'ä', '中', 0x1F600, ' ', '"', 'z'}[random.nextInt(7)]);
    }
    return text.toString();
  }

  @Override
  public int rows() {
    return block.length;
  }

  @Override
  public boolean isNull(int row, int column) {
    return block[row][column].isNull();
  }

  @Override
  public long low(int row, int column) {
    return block[row][column].low();
  }

  @Override
  public long high(int row, int column) {
    return block[row][column].high();
  }

  @Override
  public String text(int row, int column) {
    return block[row][column].text();
  }

  @Override
  public void close() {}
}
