package org.flowmon.deploy.metrics;

/** Metrics in Prometheus' text format 0.0.4, each with its help and type of {@link Metric}. */
public final class MetricsText {
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
  private static final long MAX_EXACT = 1L << 53;

  private final StringBuilder out = new StringBuilder();
  private String name = "";

  /** The values that follow are of this one. */
  public MetricsText metric(String next) {
    Metric metric = Metric.all().get(next);
    if (metric == null) {
      throw new IllegalStateException(next + " is not in metrics.tsv: add it there");
    }
    name = next;
    out.append("# HELP ").append(name).append(' ').append(metric.meaning());
    out.append(" Unit: ").append(metric.unit()).append(".\n");
    out.append("# TYPE ").append(name).append(' ').append(metric.type()).append('\n');
    return this;
  }

  public MetricsText value(double number) {
    return value("", number);
  }

  /** {@code labels}: none, or {@link #label}s with commas between them. */
  public MetricsText value(String labels, double number) {
    return number == Math.rint(number) && Math.abs(number) < MAX_EXACT
        ? value(labels, Long.toString((long) number))
        : value(labels, Double.toString(number));
  }

  /** {@code number}: its digits. */
  public MetricsText value(String labels, String number) {
    out.append(name);
    if (!labels.isEmpty()) {
      out.append('{').append(labels).append('}');
    }
    out.append(' ').append(number).append('\n');
    return this;
  }

  /** {@code value}: of one line. */
  public static String label(String key, String value) {
    return key + "=\"" + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  @Override
  public String toString() {
    return out.toString();
  }
}
