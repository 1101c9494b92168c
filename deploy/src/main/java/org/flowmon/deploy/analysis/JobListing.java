package org.flowmon.deploy.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.control.ControlStatus;
import org.flowmon.jobs.control.RunningAnalyses;
import org.flowmon.jobs.control.RunningAnalyses.Running;

/**
 * The analyses that a job reports as running, and changes that do not run. Without a report: those
 * of its folder, if known, with the changes in the topic of analyses.
 */
public final class JobListing {
  private final String topic;
  private final AnalysisSet set;
  private final ControlStatus.Said said;
  private final boolean knowsFolder;
  private final List<Row> others = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();

  /** An analysis; runs: {@code yes}, {@code added}, {@code refused}, {@code sent} or {@code no}. */
  public record Row(Running analysis, String runs) {}

  /** Starts without changes; {@code set}, the job's folder, takes those that were not refused. */
  public JobListing(String topic, AnalysisSet set, ControlStatus.Said said, boolean knowsFolder) {
    this.topic = topic;
    this.set = set;
    this.said = said;
    this.knowsFolder = knowsFolder;
  }

  public void add(AnalysisChange change) {
    try {
      JobAnalyses.check(change.config() == null ? List.of() : List.of(change.config()));
      Optional<ControlStatus.Outcome> answer =
          Optional.ofNullable(said.outcomes().get(change.name()))
              .filter(outcome -> outcome.version() == change.version());
      Optional<String> refusal = answer.map(ControlStatus.Outcome::message);
      // A refused analysis may run since a restart of the job.
      if (refusal.isPresent() && !runs(change)) {
        refused(change, refusal.get());
      } else {
        set.apply(change);
        if (said.running() != null) {
          // A change that is refused when the job is submitted has no answer of its own.
          tellUnlessDone(change, answer.isPresent() || change.version() <= said.running().read());
        }
      }
    } catch (ConfigException e) {
      if (!runs(change)) {
        add(change, "refused");
      }
      remarks.add("refused by every job: " + e.getMessage());
    }
  }

  private void refused(AnalysisChange change, String why) {
    boolean isRemoval = change.text() == null;
    add(change, "refused");
    remarks.add(
        change.name()
            + (isRemoval ? ": to remove it is refused" : " is refused")
            + (runs(change.name()) ? ", and what ran under this name goes on: " : ": ")
            + why);
  }

  /** Lists what does not run; a removal has no analysis. */
  private void add(AnalysisChange change, String state) {
    try {
      AnalysisConfig config = change.config();
      if (config != null) {
        others.add(new Row(Running.of(config, change.version()), state));
      }
    } catch (ConfigException e) {
      // It is not readable; a remark says so.
    }
  }

  private boolean runs(String name) {
    return said.running() != null ? said.running().has(name) : set.get(name) != null;
  }

  private boolean runs(AnalysisChange change) {
    return said.running() != null
        && said.running().analyses().stream()
            .anyMatch(one -> one.name().equals(change.name()) && one.version() == change.version());
  }

  private void tellUnlessDone(AnalysisChange change, boolean isRead) {
    boolean isRemoval = change.text() == null;
    if (isRemoval ? !runs(change.name()) : runs(change)) {
      return;
    }
    add(change, isRead ? "no" : "sent");
    remarks.add(
        change.name()
            + (isRemoval ? ": its removal" : "")
            + " (change "
            + change.version()
            + " of topic "
            + topic
            + (isRead
                ? ") is not what the job does since it was started; its log says why"
                : ") is sent, and no job has answered"));
  }

  /** Running analyses, then those that were refused or may not run. */
  public List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    if (said.running() == null) {
      set.running()
          .forEach(
              one -> {
                boolean isOfFolder = set.change(one.name()) == null;
                rows.add(new Row(Running.of(one, 0), isOfFolder ? "yes" : "added"));
              });
    } else {
      said.running()
          .analyses()
          .forEach(one -> rows.add(new Row(one, one.version() == 0 ? "yes" : "added")));
    }
    rows.addAll(others);
    return rows;
  }

  /** Running analyses with a known file, as the job's folder or the topic has them now. */
  public List<AnalysisConfig> known() {
    return set.running().stream()
        .filter(one -> said.running() == null || isWhatRuns(one.name()))
        .toList();
  }

  List<String> unknown() {
    return said.running() == null
        ? List.of()
        : said.running().analyses().stream()
            .map(Running::name)
            .filter(name -> !isWhatRuns(name))
            .toList();
  }

  private boolean isWhatRuns(String name) {
    RunningAnalyses running = said.running();
    return running != null
        && set.get(name) != null
        && running.analyses().stream()
            .anyMatch(one -> one.name().equals(name) && one.version() == set.version(name));
  }

  public List<String> remarks() {
    List<String> all = new ArrayList<>(remarks);
    if (said.running() == null) {
      all.add(
          "no job has said what it runs: these are of topic "
              + topic
              + (knowsFolder
                  ? " and of the job's folder"
                  : "; --config shows those of the job's folder, too"));
      return all;
    }
    all.add("as the job said at " + said.running().said() + ", when it started or changed last");
    List<String> missing = new ArrayList<>();
    set.running().stream()
        .filter(one -> set.change(one.name()) == null && !runs(one.name()))
        .forEach(one -> missing.add(one.name()));
    if (!missing.isEmpty()) {
      all.add(
          "the job's folder has "
              + String.join(", ", missing)
              + ", which the job does not run: it reads the folder when it is submitted");
    }
    return all;
  }
}
