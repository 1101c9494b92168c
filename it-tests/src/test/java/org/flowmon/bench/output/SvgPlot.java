package org.flowmon.bench.output;

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

  /** Adds a point to a line; a point that a logarithmic axis cannot show is left out. */
  public void point(String line, double xValue, double yValue) {
    if (x.admits(xValue) && y.admits(yValue)) {
      x.include(xValue);
      y.include(yValue);
      lines.computeIfAbsent(line, name -> new ArrayList<>()).add(new double[] {xValue, yValue});
    }
  }

  /** Writes plots, one below the other, over an existing file. */
  public static void write(Path file, List<SvgPlot> plots) throws IOException {
    StringBuilder svg = new StringBuilder();
    int height = plots.stream().mapToInt(SvgPlot::height).sum();
    svg.append(
        String.format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\""
                + " font-family=\"sans-serif\" font-size=\"12\">%n",
            WIDTH, height));
    svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
    int at = 0;
    for (SvgPlot plot : plots) {
      svg.append(String.format("<g transform=\"translate(0 %d)\">%n", at));
      plot.draw(svg);
      svg.append("</g>\n");
      at += plot.height();
    }
    Files.writeString(file, svg.append("</svg>\n"), StandardCharsets.UTF_8);
  }

  private int height() {
    return Math.max(HEIGHT, TOP + BOTTOM + LEGEND_LINE * lines.size());
  }

  private void draw(StringBuilder svg) {
    text(svg, LEFT, TOP - 20, "start", title, " font-size=\"14\" font-weight=\"bold\"");
    if (!lines.isEmpty()) {
      draw(svg, height());
    }
  }

  private void draw(StringBuilder svg, int height) {
    double right = WIDTH - RIGHT;
    double bottom = height - BOTTOM;
    double[] xMarks = x.marks();
    double[] yMarks = y.marks();
    for (double mark : xMarks) {
      double at = LEFT + x.share(mark, xMarks) * (right - LEFT);
      grid(svg, at, TOP, at, bottom);
      text(svg, at, bottom + 18, "middle", number(mark), "");
    }
    for (double mark : yMarks) {
      double at = bottom - y.share(mark, yMarks) * (bottom - TOP);
      grid(svg, LEFT, at, right, at);
      text(svg, LEFT - 8, at + 4, "end", number(mark), "");
    }
    text(svg, (LEFT + right) / 2, bottom + 42, "middle", x.label, "");
    String turned =
        String.format(Locale.ROOT, " transform=\"rotate(-90 18 %.1f)\"", (TOP + bottom) / 2);
    text(svg, 18, (TOP + bottom) / 2, "middle", y.label, turned);
    int n = 0;
    for (Map.Entry<String, List<double[]>> line : lines.entrySet()) {
      String colour = COLOURS[n % COLOURS.length];
      String dashes = n < COLOURS.length ? "" : " stroke-dasharray=\"5 3\"";
      StringBuilder path = new StringBuilder();
      for (double[] point : line.getValue()) {
        double px = LEFT + x.share(point[0], xMarks) * (right - LEFT);
        double py = bottom - y.share(point[1], yMarks) * (bottom - TOP);
        path.append(String.format(Locale.ROOT, "%.1f,%.1f ", px, py));
        svg.append(
            String.format(
                Locale.ROOT,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>%n",
                px,
                py,
                colour));
      }
      svg.append(
          String.format(
              "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\"%s/>%n",
              path.toString().strip(), colour, dashes));
      double at = TOP + 8 + (double) LEGEND_LINE * n++;
      svg.append(
          String.format(
              Locale.ROOT,
              "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\""
                  + " stroke-width=\"2\"%s/>%n",
              right + 12,
              at,
              right + 32,
              at,
              colour,
              dashes));
      text(svg, right + 38, at + 4, "start", line.getKey(), "");
    }
  }

  private static void grid(StringBuilder svg, double x1, double y1, double x2, double y2) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
            x1,
            y1,
            x2,
            y2));
  }

  private static void text(
      StringBuilder svg, double x, double y, String anchor, String text, String more) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>%n",
            x,
            y,
            anchor,
            more,
            text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")));
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
