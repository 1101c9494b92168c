package org.flowmon.jobs.report.logic;

import java.util.Map;
import java.util.function.Supplier;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogicProvider;

/** The bundled logics. */
public final class BuiltInLogics implements ReportLogicProvider {
  @Override
  public Map<String, Supplier<ReportLogic>> logics() {
    return Map.ofEntries(
        Map.entry("anomaly", AnomalyLogic::new),
        Map.entry("beacons", BeaconsLogic::new),
        Map.entry("dispersion", DispersionLogic::new),
        Map.entry("elephants", ElephantsLogic::new),
        Map.entry("fan_out", MoreThanUsualLogic::fanOut),
        Map.entry("live", LiveLogic::new),
        Map.entry("mice", MiceLogic::new),
        Map.entry("new_talkers", NewTalkersLogic::new),
        Map.entry("new_targets", NewTargetsLogic::new),
        Map.entry("portscans", MoreThanUsualLogic::portscans),
        Map.entry(AnalysisConfig.QUERY, QueryLogic::new),
        Map.entry(AnalysisConfig.STATES, StatesLogic::new),
        Map.entry("traffic", TrafficLogic::new));
  }
}
