package org.flowmon.bench.harness;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Lines through measured points as an SVG picture, on linear or logarithmic axes. Text stays text
 * and uses the viewer's fonts.
 */
public final class SvgPlot {
  private static final int WIDTH = 760;
  private static final int HEIGHT = 440;
  private static final int LEFT = 80;
  private static final int RIGHT = 200;
  private static final int TOP = 44;
  private static final int BOTTOM = 56;
  private static final int LEGEND_LINE = 18;
  // Colours that colour-blind people can tell apart (Okabe and Ito).
  private static final String[] COLOURS = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#9a8f00"
  };

  private final String title;
  private final Axis x;
  private final Axis y;
  private final Map<String, List<double[]>> lines = new LinkedHashMap<>();

  /** An axis with its label and scale. */
  private static final class Axis {
    private final String label;
    private final boolean isLogarithmic;
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;

    Axis(String label, boolean isLogarithmic) {
      this.label = label;
      this.isLogarithmic = isLogarithmic;
    }

    boolean admits(double value) {
      return Double.isFinite(value) && (!isLogarithmic || value > 0);
    }

    void include(double value) {
      min = Math.min(min, value);
      max = Math.max(max, value);
    }

    /** The places of its marks: powers of ten, or multiples of 1, 2 or 5 times one. */
    double[] marks() {
      List<Double> marks = new ArrayList<>();
      if (isLogarithmic) {
        for (double e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++) {
          marks.add(Math.pow(10, e));
        }
      } else {
        double step = step(Math.max(max - Math.min(0, min), 1e-9) / 5);
        for (double m = Math.floor(Math.min(0, min) / step); m <= Math.ceil(max / step); m++) {
          marks.add(m * step);
        }
      }
      if (marks.size() == 1) {
        marks.add(marks.get(0) * 10);
      }
      return marks.stream().mapToDouble(Double::doubleValue).toArray();
    }

    private static double step(double atLeast) {
      double power = Math.pow(10, Math.floor(Math.log10(atLeast)));
      for (double factor : new double[] {1, 2, 5}) {
        if (factor * power >= atLeast) {
          return factor * power;
        }
      }
      return 10 * power;
    }

    /** 0 at the first mark, 1 at the last. */
    double share(double value, double[] marks) {
      double first = marks[0];
      double last = marks[marks.length - 1];
      return isLogarithmic
          ? Math.log(value / first) / Math.log(last / first)
          : (value - first) / (last - first);
    }
  }

  public SvgPlot(
      String title, String xLabel, boolean xLogarithmic, String yLabel, boolean yLogarithmic) {
    this.title = title;
    this.x = new Axis(xLabel, xLogarithmic);
    this.y = new Axis(yLabel, yLogarithmic);
  }

  /** Adds a point to a line, unless it has it or a logarithmic axis cannot show it. */
  public void point(String line, double xValue, double yValue) {
    if (x.admits(xValue) && y.admits(yValue)) {
      x.include(xValue);
      y.include(yValue);
      List<double[]> points = lines.computeIfAbsent(line, name -> new ArrayList<>());
      if (points.stream().noneMatch(at -> at[0] == xValue && at[1] == yValue)) {
        points.add(new double[] {xValue, yValue});
      }
    }
  }

  /** Writes plots, one below the other, over an existing file. */
  public static void write(Path file, List<SvgPlot> plots) throws IOException {
    StringBuilder svg = new StringBuilder();
    int height = plots.stream().mapToInt(SvgPlot::height).sum();
    add(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
            + " font-family=\"sans-serif\" font-size=\"12\">",
        WIDTH,
        height);
    add(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    int at = 0;
    for (SvgPlot plot : plots) {
      add(svg, "<g transform=\"translate(0 %d)\">", at);
      text(svg, LEFT, TOP - 20, "start", plot.title, " font-size=\"14\" font-weight=\"bold\"");
      if (!plot.lines.isEmpty()) {
        plot.draw(svg);
      }
      add(svg, "</g>");
      at += plot.height();
    }
    add(svg, "</svg>");
    Files.writeString(file, svg, StandardCharsets.UTF_8);
  }

  private int height() {
    return Math.max(HEIGHT, TOP + BOTTOM + LEGEND_LINE * lines.size());
  }

  private void draw(StringBuilder svg) {
    double right = WIDTH - RIGHT;
    double bottom = height() - BOTTOM;
    double[] xMarks = x.marks();
    double[] yMarks = y.marks();
    for (double mark : xMarks) {
      double at = LEFT + x.share(mark, xMarks) * (right - LEFT);
      line(svg, at, TOP, at, bottom, "#ddd", "");
      text(svg, at, bottom + 18, "middle", number(mark), "");
    }
    for (double mark : yMarks) {
      double at = bottom - y.share(mark, yMarks) * (bottom - TOP);
      line(svg, LEFT, at, right, at, "#ddd", "");
      text(svg, LEFT - 8, at + 4, "end", number(mark), "");
    }
    text(svg, (LEFT + right) / 2, bottom + 42, "middle", x.label, "");
    double middle = (TOP + bottom) / 2;
    String turned = String.format(Locale.ROOT, " transform=\"rotate(-90 18 %.1f)\"", middle);
    text(svg, 18, middle, "middle", y.label, turned);
    int n = 0;
    for (Map.Entry<String, List<double[]>> line : lines.entrySet()) {
      String colour = COLOURS[n % COLOURS.length];
      String dashes = n < COLOURS.length ? "" : " stroke-dasharray=\"5 3\"";
      StringBuilder path = new StringBuilder();
      for (double[] point : line.getValue()) {
        double px = LEFT + x.share(point[0], xMarks) * (right - LEFT);
        double py = bottom - y.share(point[1], yMarks) * (bottom - TOP);
        path.append(String.format(Locale.ROOT, "%.1f,%.1f ", px, py));
        add(svg, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>", px, py, colour);
      }
      add(
          svg,
          "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s/>",
          path.toString().strip(),
          colour,
          dashes);
      double at = TOP + 8 + (double) LEGEND_LINE * n++;
      line(svg, right + 12, at, right + 32, at, colour, " stroke-width=\"2\"" + dashes);
      text(svg, right + 38, at + 4, "start", line.getKey(), "");
    }
  }

  private static void line(
      StringBuilder svg, double x1, double y1, double x2, double y2, String colour, String more) {
    String format = "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"%s/>";
    add(svg, format, x1, y1, x2, y2, colour, more);
  }

  private static void text(
      StringBuilder svg, double x, double y, String anchor, String text, String more) {
    String escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    String format = "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>";
    add(svg, format, x, y, anchor, more, escaped);
  }

  /** Adds a line of SVG. */
  private static void add(StringBuilder svg, String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  /** Shortens marks: 1k for a thousand and so on. */
  private static String number(double value) {
    double size = Math.abs(value);
    if (size >= 1e9) {
      return trimmed(value / 1e9) + "G";
    } else if (size >= 1e6) {
      return trimmed(value / 1e6) + "M";
    } else if (size >= 1e3) {
      return trimmed(value / 1e3) + "k";
    }
    return trimmed(value);
  }

  private static String trimmed(double value) {
    return new java.math.BigDecimal(value)
        .round(new java.math.MathContext(3))
        .stripTrailingZeros()
        .toPlainString();
  }
}
