package org.flowmon.jobs.alert;

import java.nio.charset.StandardCharsets;
import org.flowmon.jobs.report.json.ReportJson;

/** The JSON of alerts; {@code docs/format/alerts.md} is its specification. */
public final class AlertJson {
  static final int VERSION = 1;

  private AlertJson() {}

  public static byte[] of(Alert alert) {
    StringBuilder out = new StringBuilder(512);
    out.append("{\"version\":").append(VERSION);
    ReportJson.member(out.append(','), "id", alert.id());
    out.append(",\"number\":").append(alert.number());
    ReportJson.member(out.append(','), "state", alert.state().text());
    ReportJson.member(out.append(','), "cause", alert.cause().text());
    ReportJson.member(out.append(','), "severity", alert.severity().text());
    ReportJson.member(out.append(','), "analysis", alert.analysis());
    ReportJson.member(out.append(','), "rule", alert.rule());
    ReportJson.member(out.append(','), "key", alert.key());
    ReportJson.member(out.append(','), "since", ReportJson.time(alert.since()));
    ReportJson.member(out.append(','), "window_start", ReportJson.time(alert.windowStart()));
    ReportJson.member(out.append(','), "window_end", ReportJson.time(alert.windowEnd()));
    ReportJson.member(out.append(','), "last_held", ReportJson.time(alert.lastHeld()));
    out.append(",\"revision\":").append(alert.revision());
    out.append(",\"rows\":").append(alert.rows());
    out.append(",\"columns\":").append(alert.columns());
    return out.append('}').toString().getBytes(StandardCharsets.UTF_8);
  }
}
