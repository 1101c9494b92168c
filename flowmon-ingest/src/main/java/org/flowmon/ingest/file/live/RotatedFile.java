package org.flowmon.ingest.file.live;

import java.math.BigInteger;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A file that has a log's name and a number or date, and is not compressed.
 *
 * @param key what tells it apart whatever its name is
 * @param addition the number or date, with what separates it
 */
record RotatedFile(Path path, String key, FileTime modified, long size, String addition) {
  private static final Pattern ROTATION = Pattern.compile("[-._][0-9][-._:0-9T]*");
  private static final Pattern NUMBER = Pattern.compile("[-._][0-9]{1,5}");
  private static final Pattern NO_DIGITS = Pattern.compile("[^0-9]+");

  /** What rotation added to the log's name, at its end or before its extension. */
  static Optional<String> addition(Path log, Path file) {
    String name = file.getFileName().toString();
    String own = log.getFileName().toString();
    int point = own.lastIndexOf('.') < 1 ? own.length() : own.lastIndexOf('.');
    return between(own, name, "")
        .or(() -> between(own.substring(0, point), name, own.substring(point)));
  }

  private static Optional<String> between(String begin, String name, String end) {
    if (name.length() <= begin.length() + end.length()
        || !name.startsWith(begin)
        || !name.endsWith(end)) {
      return Optional.empty();
    }
    return Optional.of(name.substring(begin.length(), name.length() - end.length()))
        .filter(added -> ROTATION.matcher(added).matches());
  }

  /**
   * The order in which files had the log's name: by their last writes, those of the same time by
   * their names. Later dates are later. The largest number is the first file, as logrotate counts;
   * or the last one, if the times of some files say so.
   */
  static Comparator<RotatedFile> order(List<RotatedFile> all) {
    boolean ascends = ascends(all);
    return Comparator.comparing(RotatedFile::modified)
        .thenComparing((a, b) -> compareNames(a, b, ascends))
        .thenComparing(RotatedFile::key);
  }

  private static boolean ascends(List<RotatedFile> all) {
    List<RotatedFile> numbered =
        all.stream()
            .filter(RotatedFile::isNumbered)
            .sorted((a, b) -> compareNames(a, b, true))
            .toList();
    return !numbered.isEmpty()
        && numbered.get(0).modified.compareTo(numbered.get(numbered.size() - 1).modified) < 0;
  }

  private boolean isNumbered() {
    return NUMBER.matcher(addition).matches();
  }

  private static int compareNames(RotatedFile a, RotatedFile b, boolean ascends) {
    if (a.isNumbered() != b.isNumbered()) {
      return a.isNumbered() ? 1 : -1;
    }
    List<BigInteger> left = a.numbers();
    List<BigInteger> right = b.numbers();
    int common = Math.min(left.size(), right.size());
    for (int i = 0; i < common; i++) {
      int part = left.get(i).compareTo(right.get(i));
      if (part != 0) {
        return a.isNumbered() && !ascends ? -part : part;
      }
    }
    return Integer.compare(left.size(), right.size());
  }

  private List<BigInteger> numbers() {
    return NO_DIGITS
        .splitAsStream(addition)
        .filter(part -> !part.isEmpty())
        .map(BigInteger::new)
        .toList();
  }
}
