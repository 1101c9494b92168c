package org.flowmon.deploy.host;

import java.math.BigInteger;
import java.util.List;
import org.flowmon.archive.host.HostSummary;
import org.flowmon.deploy.output.Facts;
import org.flowmon.flow.time.FlowTime;

/**
 * A host's summary for programs.
 *
 * @param limit of peers and of services
 * @param ranges numbers as powers of two
 */
public record HostFacts(HostSummary host, int limit, boolean ranges) {
  private Object fact(BigInteger number) {
    return ranges ? HostSummary.magnitude(number) : number;
  }

  private Object fact(long number) {
    return fact(BigInteger.valueOf(number));
  }

  public Facts facts() {
    Facts facts = new Facts();
    facts.value("address", host.address());
    facts.value("first_seen", FlowTime.textOrNull(host.firstSeen()));
    facts.value("last_seen", FlowTime.textOrNull(host.lastSeen()));
    facts.value("now_from", FlowTime.textOrNull(host.nowFrom()));
    facts.value("flows", fact(host.flows()));
    facts.value("sent", fact(host.sent()));
    facts.value("received", fact(host.received()));
    facts.value("peer_count", fact(host.peers().size()));
    facts.value("peers_now", fact(host.peersNow()));
    facts.value("peers_before", fact(host.peersBefore()));
    Facts.Table peers = facts.table("peers", "address", "flows", "sent", "received");
    for (HostSummary.Peer peer : first(host.peers())) {
      peers.row(peer.address(), fact(peer.flows()), fact(peer.sent()), fact(peer.received()));
    }
    Facts.Table services =
        facts.table(
            "services",
            "side",
            "protocol",
            "port",
            "flows",
            "sent",
            "received",
            "peers",
            "peers_now",
            "peers_before");
    for (HostSummary.Service one : first(host.services())) {
      services.row(
          one.offered() ? "offers" : "uses",
          one.protocol(),
          one.port(),
          fact(one.flows()),
          fact(one.sent()),
          fact(one.received()),
          fact(one.peers()),
          fact(one.peersNow()),
          fact(one.peersBefore()));
    }
    scattered(facts);
    Facts.Table hours = facts.table("hours", "hour", "flows", "sent", "received");
    for (HostSummary.Hour hour : host.hours()) {
      hours.row(
          FlowTime.textOrNull(hour.start()),
          fact(hour.flows()),
          fact(hour.sent()),
          fact(hour.received()));
    }
    return facts;
  }

  private void scattered(Facts facts) {
    Facts.Table table =
        facts.table(
            "scattered",
            "side",
            "protocol",
            "ports",
            "lowest_port",
            "highest_port",
            "flows",
            "sent",
            "received",
            "peers",
            "peers_now",
            "peers_before");
    for (HostSummary.Scattered one : host.scattered()) {
      table.row(
          one.offered() ? "offers" : "uses",
          one.protocol(),
          fact(one.ports()),
          one.lowestPort(),
          one.highestPort(),
          fact(one.flows()),
          fact(one.sent()),
          fact(one.received()),
          fact(one.peers()),
          fact(one.peersNow()),
          fact(one.peersBefore()));
    }
  }

  private <T> List<T> first(List<T> all) {
    return all.subList(0, Math.min(limit, all.size()));
  }
}
