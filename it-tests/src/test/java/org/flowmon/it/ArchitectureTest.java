package org.flowmon.it;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The direction of dependencies, on the compiled classes of all modules. */
class ArchitectureTest {
  private static final String FLOW = "org.flowmon.flow..";
  private static final String INGEST = "org.flowmon.ingest..";
  private static final String UDAF = "org.flowmon.udaf..";
  private static final String ARCHIVE = "org.flowmon.archive..";
  private static final String JOBS = "org.flowmon.jobs..";
  private static final String DEPLOY = "org.flowmon.deploy..";
  private static final String FLINK = "org.apache.flink..";
  static final List<String> MODULES =
      List.of("flowmon-ingest", "flowmon-udaf", "flowmon-archive", "flowmon-jobs", "deploy");
  private static final int MOST_FILES = 20;
  private static final String KAFKA = "org.apache.kafka..";

  private static final JavaClasses FLOWMON =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("org.flowmon");

  @Test
  void everyClassHasAHomeInOneModule() {
    assertTrue(FLOWMON.contain("org.flowmon.flow.FlowBatch"), "flowmon-ingest was not imported");
    assertTrue(FLOWMON.contain("org.flowmon.deploy.Flowmon"), "flowmon-deploy was not imported");
    check(classes().should().resideInAnyPackage(FLOW, INGEST, UDAF, ARCHIVE, JOBS, DEPLOY));
  }

  @Test
  void flowKnowsOnlyTheJdk() {
    check(
        classes()
            .that()
            .resideInAPackage(FLOW)
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", FLOW, "org.jspecify.annotations"));
  }

  @Test
  void dependenciesPointOneWayAlongTheChain() {
    check(mayNotSee(INGEST, UDAF, ARCHIVE, JOBS, DEPLOY));
    check(mayNotSee(UDAF, ARCHIVE, JOBS, DEPLOY));
    check(mayNotSee(ARCHIVE, JOBS, DEPLOY));
    check(mayNotSee(JOBS, DEPLOY));
  }

  @Test
  void queriesAndArchiveSeeOfIngestOnlyTheFlows() {
    check(mayNotSee(UDAF, INGEST));
    check(mayNotSee(ARCHIVE, INGEST));
  }

  @Test
  void flinkIsKnownToJobsAndDeployOnly() {
    check(mayNotSee(INGEST, FLINK));
    check(mayNotSee(UDAF, FLINK));
    check(mayNotSee(ARCHIVE, FLINK));
  }

  @Test
  void queriesAndArchiveKnowNoKafka() {
    check(mayNotSee(UDAF, KAFKA));
    check(mayNotSee(ARCHIVE, KAFKA));
  }

  @Test
  void hadoopIsNowhere() {
    check(mayNotSee("org.flowmon..", "org.apache.hadoop.."));
  }

  @Test
  void nothingIsWrittenByJavaSerialization() {
    check(
        noClasses()
            .should()
            .dependOnClassesThat()
            .belongToAnyOf(ObjectInputStream.class, ObjectOutputStream.class)
            .because("every stored or sent byte has a versioned format of its own"));
  }

  @Test
  void packagesHaveNoCycles() {
    check(slices().matching("org.flowmon.(**)").should().beFreeOfCycles());
  }

  @Test
  void noPackageHasMoreFilesThanOneKeepsInMind() throws IOException {
    List<String> large = new ArrayList<>();
    for (String module : MODULES) {
      Path sources = ProjectFiles.root().resolve(module).resolve("src/main/java");
      try (Stream<Path> paths = Files.walk(sources)) {
        for (Path folder : paths.filter(Files::isDirectory).toList()) {
          long files = filesIn(folder);
          if (files > MOST_FILES) {
            large.add(sources.relativize(folder) + " has " + files);
          }
        }
      }
    }
    assertEquals(List.of(), large, "at most " + MOST_FILES + " files a package");
  }

  @Test
  void everyPackageSaysWhatMayBeNull() throws IOException {
    List<String> unmarked = new ArrayList<>();
    for (String module : MODULES) {
      Path sources = ProjectFiles.root().resolve(module).resolve("src/main/java");
      try (Stream<Path> paths = Files.walk(sources)) {
        for (Path folder : paths.filter(Files::isDirectory).toList()) {
          if (filesIn(folder) > 0 && !isNullMarked(folder.resolve("package-info.java"))) {
            unmarked.add(sources.relativize(folder).toString());
          }
        }
      }
    }
    assertEquals(List.of(), unmarked, "packages without @NullMarked in their package-info.java");
  }

  private static boolean isNullMarked(Path packageInfo) throws IOException {
    return Files.exists(packageInfo)
        && Files.readAllLines(packageInfo).stream().anyMatch("@NullMarked"::equals);
  }

  private static long filesIn(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".java"))
          .count();
    }
  }

  private static ArchRule mayNotSee(String from, String... packages) {
    return noClasses()
        .that()
        .resideInAPackage(from)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(packages);
  }

  /** Rules hold for packages that have no class yet. */
  private static void check(ArchRule rule) {
    rule.allowEmptyShould(true).check(FLOWMON);
  }
}
