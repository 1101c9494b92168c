package org.flowmon.ingest.decode.exporter;

import java.util.List;
import java.util.stream.Stream;
import org.flowmon.flow.IpAddress;

/**
 * What a decoder knows of an exporter. Counts are those since it was heard first, or heard again
 * after it had been forgotten; times are µs since 1970.
 *
 * @param address of IPv6 the one that was heard last: a /64 is one exporter
 * @param known whether it has sent flows for long enough to be no stranger
 * @param versions for example {@code netflow_v9}
 * @param waitingBytes of sets that wait for their template
 * @param domains observation domains
 * @param samplingRates how many rates its options tell
 * @param interfaces that it sends counters of
 * @param clockSkew by which its clock was ahead of the arrival at the last datagram, 0 if it tells
 *     no time
 */
public record ExporterStatus(
    IpAddress address,
    boolean known,
    List<String> versions,
    long firstHeard,
    long lastHeard,
    long datagrams,
    long badDatagrams,
    long flows,
    long lostFlows,
    long lostDatagrams,
    long waitingBytes,
    int domains,
    int templates,
    int samplingRates,
    int interfaces,
    long clockSkew) {
  /** Both together: an exporter that sends in two ways. */
  public ExporterStatus with(ExporterStatus other) {
    boolean isLater = other.lastHeard > lastHeard;
    return new ExporterStatus(
        address,
        known || other.known,
        Stream.concat(versions.stream(), other.versions.stream()).distinct().toList(),
        Math.min(firstHeard, other.firstHeard),
        Math.max(lastHeard, other.lastHeard),
        datagrams + other.datagrams,
        badDatagrams + other.badDatagrams,
        flows + other.flows,
        lostFlows + other.lostFlows,
        lostDatagrams + other.lostDatagrams,
        waitingBytes + other.waitingBytes,
        domains + other.domains,
        templates + other.templates,
        samplingRates + other.samplingRates,
        interfaces + other.interfaces,
        isLater ? other.clockSkew : clockSkew);
  }
}
