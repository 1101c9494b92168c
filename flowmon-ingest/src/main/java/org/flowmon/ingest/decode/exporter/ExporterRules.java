package org.flowmon.ingest.decode.exporter;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.IpPrefix;
import org.flowmon.ingest.decode.record.Sampling;
import org.jspecify.annotations.Nullable;

/**
 * What the configuration says of exporters: who may send, sampling rates that replace those of
 * exports, and what becomes of flows with both directions. Immutable.
 */
public final class ExporterRules {
  /** Everyone may send, and nothing is replaced. */
  public static final ExporterRules NONE = new ExporterRules(List.of(), Map.of(), false);

  private static final Pattern SAMPLING = Pattern.compile("([^@=]+)(?:@(\\d{1,10}))?=(\\d{1,10})");

  private final List<IpPrefix> allowed;
  private final Map<IpAddress, Sampling> sampling;
  private final boolean splitsBiflows;

  private ExporterRules(
      List<IpPrefix> allowed, Map<IpAddress, Sampling> sampling, boolean splitsBiflows) {
    this.splitsBiflows = splitsBiflows;
    this.allowed = List.copyOf(allowed);
    this.sampling = Map.copyOf(sampling);
  }

  /**
   * Reads rules.
   *
   * @param allowed addresses and networks that may send; none: all
   * @param sampling {@code EXPORTER=RATE}, or {@code EXPORTER@INTERFACE=RATE} for flows that came
   *     in there: one packet of so many
   * @throws IllegalArgumentException naming the wrong text and what was expected
   */
  public static ExporterRules parse(List<String> allowed, List<String> sampling) {
    List<IpPrefix> networks = new ArrayList<>();
    for (String text : allowed) {
      networks.add(IpPrefix.parse(text));
    }
    Map<IpAddress, Sampling> rates = new HashMap<>();
    for (String text : sampling) {
      Matcher parts = SAMPLING.matcher(text);
      IpAddress exporter = parts.matches() ? IpAddress.parseOrNull(parts.group(1)) : null;
      long rate = exporter == null ? 0 : Long.parseLong(parts.group(3));
      if (exporter == null || rate < 1 || rate > FlowColumn.SAMPLING_RATE.type().maxValue()) {
        throw new IllegalArgumentException(
            "'"
                + text
                + "': expected EXPORTER=RATE or EXPORTER@INTERFACE=RATE, for example"
                + " 192.0.2.1=1000");
      }
      Sampling known = rates.computeIfAbsent(exporter, address -> new Sampling());
      Sampling.Rate told = new Sampling.Rate(rate, 0);
      if (parts.group(2) == null) {
        known.setDomain(told, 0);
      } else {
        known.setInterface(Long.parseLong(parts.group(2)), told, 0);
      }
    }
    return new ExporterRules(networks, rates, false);
  }

  /** Whether a flow with both directions becomes one of each. */
  public ExporterRules withSplitBiflows(boolean isSplit) {
    return new ExporterRules(allowed, sampling, isSplit);
  }

  /** As {@link #withSplitBiflows}. */
  public boolean splitsBiflows() {
    return splitsBiflows;
  }

  /** Whether the sender's datagrams are taken; an unknown one's (null) are. */
  public boolean allows(@Nullable IpAddress sender) {
    if (allowed.isEmpty() || sender == null) {
      return true;
    }
    for (IpPrefix network : allowed) {
      if (network.contains(sender.hi(), sender.lo())) {
        return true;
      }
    }
    return false;
  }

  /** The rates that replace those of an exporter's records; empty if none do. */
  public Sampling sampling(@Nullable IpAddress exporter) {
    Sampling configured = exporter == null ? null : sampling.get(exporter);
    return configured == null ? Sampling.NONE : configured;
  }
}
