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
    return Map.of(
        "anomaly",
        AnomalyLogic::new,
        "beacons",
        BeaconsLogic::new,
        "live",
        LiveLogic::new,
        AnalysisConfig.QUERY,
        QueryLogic::new,
        AnalysisConfig.STATES,
        StatesLogic::new);
  }
}
