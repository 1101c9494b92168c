package org.flowmon.deploy.host;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.host.LastSeen;
import org.flowmon.archive.host.SeenAnswer;
import org.flowmon.archive.host.SeenHosts;
import org.flowmon.deploy.archive.ArchiveConfidence;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.output.ClosedOutputException;
import org.flowmon.deploy.output.OutputFormat;
import org.flowmon.deploy.query.PrintedQuery;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/**
 * What {@code flowmon seen} prints.
 *
 * @param asOf µs; empty is the time up to which the archive is complete
 */
public record PrintedSeen(
    List<IpAddress> addresses, long days, OptionalLong asOf, OutputFormat format)
    implements PrintedLookup {
  public PrintedSeen {
    addresses = List.copyOf(addresses);
  }

  @Override
  public int print(Asked asked, PrintedQuery.Output out) throws IOException {
    long through = asOf.orElseGet(() -> asked.reach().historyThrough());
    // An archive without any arrival holds no flow, so any time works.
    long from = through == Long.MIN_VALUE ? through : through - TimeUnit.DAYS.toMicros(days);
    SeenAnswer answer = SeenHosts.ask(asked.archives(), addresses, from, through, asked.options());
    ArchiveConfidence of =
        ArchiveConfidence.of(asked.archives(), LongRanges.of(from, Long.MAX_VALUE), asked.rates());
    if (format == OutputFormat.JSON) {
      PrintedLookup.json(SeenFacts.of(answer), of, out);
    } else {
      if (format == OutputFormat.CSV) {
        int unused = format.write(rows(answer), List.of(), out.rows());
      } else {
        writeTable(answer, out.rows());
      }
      ClosedOutputException.check(out.rows());
      tellRead(answer, out);
      out.confidence(of.lines(), of.facts());
    }
    answer.warnings().forEach(warning -> out.note("warning: " + warning));
    boolean allSeen = answer.hosts().stream().allMatch(host -> host.isSince(from));
    return allSeen || !answer.isPartial() ? ExitCodes.DONE : ExitCodes.NO;
  }

  @Override
  public String path() {
    return "api/v1/print/seen";
  }

  @Override
  public ObjectNode request() {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    ArrayNode all = request.putArray("addresses");
    addresses.forEach(address -> all.add(address.toString()));
    request.put("days", days);
    asOf.ifPresent(time -> request.put("as_of", FlowTime.text(time)));
    return request.put("format", PrintedLookup.name(format));
  }

  private static ResultTable rows(SeenAnswer answer) {
    ResultTable.Builder rows =
        new ResultTable.Builder()
            .column("address", ValueKind.ADDRESS)
            .column("seen", ValueKind.BOOLEAN)
            .column("last", ValueKind.TIMESTAMP);
    for (LastSeen host : answer.hosts()) {
      rows.row().set(0, host.address().hi(), host.address().lo());
      rows.set(1, host.isSince(answer.from()) ? 1 : 0);
      if (host.isEver()) {
        rows.set(2, host.micros());
      }
    }
    return rows.build();
  }

  private static void writeTable(SeenAnswer answer, PrintWriter out) {
    for (LastSeen host : answer.hosts()) {
      out.printf(
          "%-39s  %-8s  %s%n",
          host.address(),
          host.isSince(answer.from()) ? "seen" : "not seen",
          host.isEver() ? "last " + FlowTime.textOrNull(host.micros()) : "never");
    }
  }

  private void tellRead(SeenAnswer answer, PrintedQuery.Output out) {
    out.note(
        "looked at flows that had arrived by %s%s; seen is what ended at %s (%d days before) or"
                .formatted(
                    FlowTime.textOrNull(answer.asOfArrival()),
                    asOf.isEmpty() ? ", up to which the archive is complete (--as-of)" : "",
                    FlowTime.textOrNull(answer.from()),
                    days)
            + " later; last is when a flow ended, but no later than an hour after it arrived");
    out.note("read %d of %d segments".formatted(answer.segmentsRead(), answer.segmentsTotal()));
    answer.missing().forEach(why -> out.note("partial: " + why));
  }
}
