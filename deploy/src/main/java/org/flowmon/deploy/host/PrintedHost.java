package org.flowmon.deploy.host;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.host.HostSummaries;
import org.flowmon.archive.host.HostSummary;
import org.flowmon.deploy.archive.ArchiveConfidence;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.output.ClosedOutputException;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.query.PrintedQuery;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.set.LongRanges;

/**
 * What {@code flowmon host} prints.
 *
 * @param from µs; {@link Long#MIN_VALUE} without a beginning
 * @param to µs; {@link Long#MAX_VALUE} without an end
 * @param window ms that "now" is long
 * @param limit of rows in each table
 * @param ranges numbers as powers of two
 * @param raw numbers without units and names
 * @param format a table or JSON
 */
public record PrintedHost(
    IpAddress host,
    long from,
    long to,
    long window,
    int limit,
    boolean ranges,
    boolean raw,
    OutputFormat format)
    implements PrintedLookup {
  @Override
  public int print(Asked asked, PrintedQuery.Output out) throws IOException {
    long now = to == Long.MAX_VALUE ? asked.reach().historyThrough() : to;
    long nowFrom = now == Long.MIN_VALUE ? now : now - TimeUnit.MILLISECONDS.toMicros(window);
    HostSummary summary =
        HostSummaries.of(asked.archives(), host, from, to, nowFrom, asked.options());
    LongRanges times = from < to ? LongRanges.of(from, to - 1) : LongRanges.NONE;
    ArchiveConfidence of = ArchiveConfidence.of(asked.archives(), times, asked.rates());
    if (format == OutputFormat.JSON) {
      PrintedLookup.json(new HostFacts(summary, limit, ranges).facts(), of, out);
    } else {
      new HostTables(summary, limit, ranges, raw).write(out.rows());
      ClosedOutputException.check(out.rows());
      out.confidence(of.lines(), of.facts());
    }
    if (to == Long.MAX_VALUE && summary.flows() > 0 && summary.peersNow() == 0) {
      out.note(
          "now, %s … %s, has none of its flows: it ends at the time up to which the archive is"
                  .formatted(FlowTime.textOrNull(nowFrom), FlowTime.textOrNull(now))
              + " complete, by when flows arrived; --to ends it earlier, --window makes it longer");
    }
    summary.warnings().forEach(warning -> out.note("warning: " + warning));
    return ExitCodes.DONE;
  }

  @Override
  public String path() {
    return "api/v1/print/host";
  }

  @Override
  public ObjectNode request() {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.put("address", host.toString());
    if (from != Long.MIN_VALUE) {
      request.put("from", FlowTime.text(from));
    }
    if (to != Long.MAX_VALUE) {
      request.put("to", FlowTime.text(to));
    }
    request.put("window_ms", window).put("limit", limit).put("ranges", ranges).put("raw", raw);
    return request.put("format", PrintedLookup.name(format));
  }
}
