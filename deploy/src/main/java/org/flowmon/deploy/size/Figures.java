package org.flowmon.deploy.size;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;

/** The measured figures of {@code figures.tsv}, each with the words of its measurement. */
final class Figures {
  /**
   * A figure.
   *
   * @param source what {@code docs/performance.md} says, with spaces for its line breaks
   */
  record Figure(String name, double value, String source) {}

  private final List<Figure> all;

  private Figures(List<Figure> all) {
    this.all = all;
  }

  static Figures read() {
    try (InputStream in =
        Objects.requireNonNull(Figures.class.getResourceAsStream("figures.tsv"))) {
      List<Figure> all = new ArrayList<>();
      for (String line : new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
        if (!line.isEmpty() && !line.startsWith("#")) {
          String[] cells = line.split("\t", -1);
          all.add(new Figure(cells[0], Double.parseDouble(cells[1]), cells[2]));
        }
      }
      return new Figures(all);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<Figure> all() {
    return all;
  }

  double get(String name) {
    return all.stream()
        .filter(figure -> figure.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new NoSuchElementException(name))
        .value();
  }
}
