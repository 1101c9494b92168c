package org.flowmon.jobs.report;

import java.lang.reflect.InvocationTargetException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.FormerLogics;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.Names;
import org.flowmon.jobs.config.RowCondition;
import org.flowmon.udaf.parser.SeenCall;

/** Finds the logic that an analysis names: a provider's, or a class. */
public final class ReportLogics {
  private static final String KEY = "report.logic";
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9_]*");

  private ReportLogics() {}

  /** The unopened logic with {@code report.condition}; {@link ConfigException} if none, invalid. */
  public static ReportLogic of(AnalysisConfig analysis) {
    ReportLogic logic = byName(analysis);
    RowCondition condition = analysis.report().condition();
    return condition == null ? logic : new ConditionedLogic(logic, condition);
  }

  /** What the analysis's report asks of addresses. */
  public static List<SeenCall> seen(AnalysisConfig analysis) {
    ReportLogic logic = of(analysis);
    logic.open(analysis);
    return logic.seen();
  }

  private static ReportLogic byName(AnalysisConfig analysis) {
    String name = analysis.report().logic();
    if (name.indexOf('.') >= 0) {
      return byClass(analysis, name);
    }
    Map<String, Supplier<ReportLogic>> known = provided(analysis);
    Supplier<ReportLogic> logic = known.get(name);
    if (logic == null) {
      FormerLogics.advice(name)
          .ifPresent(
              advice -> {
                throw analysis.error(KEY, advice);
              });
      throw analysis.error(
          KEY,
          "expected %s, or the full name of a class that implements %s; found '%s'%s"
              .formatted(
                  String.join(", ", known.keySet()),
                  ReportLogic.class.getName(),
                  name,
                  Names.didYouMean(name, known.keySet())));
    }
    return logic.get();
  }

  private static Map<String, Supplier<ReportLogic>> provided(AnalysisConfig analysis) {
    Map<String, Supplier<ReportLogic>> known = new TreeMap<>();
    Map<String, String> owners = new HashMap<>();
    try {
      for (ReportLogicProvider provider : ServiceLoader.load(ReportLogicProvider.class, loader())) {
        String owner = provider.getClass().getName();
        provider
            .logics()
            .forEach(
                (name, logic) -> {
                  if (!NAME.matcher(name).matches()) {
                    throw analysis.error(
                        KEY,
                        "%s provides a logic '%s'; expected lower-case letters, digits and _, beginning with a letter"
                            .formatted(owner, name));
                  }
                  String other = owners.put(name, owner);
                  if (other != null) {
                    throw analysis.error(
                        KEY,
                        "logic %s is provided by both %s and %s".formatted(name, other, owner));
                  }
                  known.put(name, logic);
                });
      }
    } catch (ServiceConfigurationError e) {
      throw analysis.error(KEY, "the logics cannot be listed: " + e.getMessage(), e);
    }
    return known;
  }

  // The thread's loader, set by Flink, finds a job's own classes; on foreign threads it may not
  // know flowmon.
  private static ClassLoader loader() {
    ClassLoader own = ReportLogics.class.getClassLoader();
    ClassLoader ofThread = Thread.currentThread().getContextClassLoader();
    try {
      boolean sees =
          ofThread != null
              && ofThread.loadClass(ReportLogicProvider.class.getName())
                  == ReportLogicProvider.class;
      return sees ? ofThread : own;
    } catch (ClassNotFoundException e) {
      return own;
    }
  }

  private static ReportLogic byClass(AnalysisConfig analysis, String name) {
    try {
      Class<?> type = Class.forName(name, false, loader());
      return type.asSubclass(ReportLogic.class).getConstructor().newInstance();
    } catch (ClassNotFoundException e) {
      throw analysis.error(KEY, "no class " + name + " on the class path", e);
    } catch (LinkageError e) {
      throw analysis.error(KEY, "the class " + name + " cannot be loaded: " + e, e);
    } catch (ClassCastException e) {
      throw analysis.error(KEY, name + " does not implement " + ReportLogic.class.getName(), e);
    } catch (InvocationTargetException e) {
      throw analysis.error(KEY, "the constructor of " + name + " failed: " + e.getCause(), e);
    } catch (ReflectiveOperationException e) {
      throw analysis.error(
          KEY,
          name + " needs to be a public class with a public constructor without parameters",
          e);
    }
  }
}
