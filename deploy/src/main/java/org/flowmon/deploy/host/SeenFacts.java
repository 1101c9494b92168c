package org.flowmon.deploy.host;

import org.flowmon.archive.host.LastSeen;
import org.flowmon.archive.host.SeenAnswer;
import org.flowmon.deploy.output.Facts;
import org.flowmon.flow.time.FlowTime;

/** Whether addresses were seen, for programs. */
public final class SeenFacts {
  private SeenFacts() {}

  public static Facts of(SeenAnswer answer) {
    Facts facts = new Facts();
    facts.value("as_of", FlowTime.textOrNull(answer.asOfArrival()));
    facts.value("since", FlowTime.textOrNull(answer.from()));
    facts.value("history_from", FlowTime.textOrNull(answer.historyFrom()));
    facts.value("history_through", FlowTime.textOrNull(answer.historyThrough()));
    facts.value("partial", answer.isPartial());
    facts.value("missing", answer.missing());
    Facts.Table hosts = facts.table("hosts", "address", "seen", "last");
    for (LastSeen host : answer.hosts()) {
      hosts.row(host.address(), host.isSince(answer.from()), FlowTime.textOrNull(host.micros()));
    }
    return facts;
  }
}
