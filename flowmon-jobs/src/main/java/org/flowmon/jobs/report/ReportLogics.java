package org.flowmon.jobs.report;

import java.lang.reflect.InvocationTargetException;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.RowCondition;

/** Finds the logic that an analysis names. */
public final class ReportLogics {
  private ReportLogics() {}

  /**
   * The logic of an analysis with its {@code report.condition}, not opened yet.
   *
   * @throws ConfigException where there is none of this name
   */
  public static ReportLogic of(AnalysisConfig analysis) {
    ReportLogic logic = byName(analysis);
    RowCondition condition = analysis.report().condition();
    return condition == null ? logic : new ConditionedLogic(logic, condition);
  }

  private static ReportLogic byName(AnalysisConfig analysis) {
    String name = analysis.report().logic();
    return switch (name) {
      case "anomaly" -> new AnomalyLogic();
      case "dispersion" -> new DispersionLogic();
      case "elephants" -> new ElephantsLogic();
      case "live" -> new LiveLogic();
      case "mice" -> new MiceLogic();
      case "portscans" -> new PortscansLogic();
      default -> byClass(analysis, name);
    };
  }

  private static ReportLogic byClass(AnalysisConfig analysis, String name) {
    String place = "analysis " + analysis.name() + ": report.logic: ";
    if (name.indexOf('.') < 0) {
      throw new ConfigException(
          place
              + "expected anomaly, dispersion, elephants, live, mice, portscans, or the full name"
              + " of a class that implements "
              + ReportLogic.class.getName()
              + "; found '"
              + name
              + "'");
    }
    try {
      ClassLoader loader = Thread.currentThread().getContextClassLoader();
      Class<?> type = Class.forName(name, true, loader);
      return type.asSubclass(ReportLogic.class).getConstructor().newInstance();
    } catch (ClassNotFoundException e) {
      throw new ConfigException(place + "no class " + name + " on the class path", e);
    } catch (ClassCastException e) {
      throw new ConfigException(
          place + name + " does not implement " + ReportLogic.class.getName(), e);
    } catch (InvocationTargetException e) {
      throw new ConfigException(
          place + "the constructor of " + name + " failed: " + e.getCause(), e);
    } catch (ReflectiveOperationException e) {
      throw new ConfigException(
          place + name + " needs to be a public class with a public constructor without parameters",
          e);
    }
  }
}
