package org.flowmon.deploy.container;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.networknt.schema.InputFormat;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.GoProgram;
import org.flowmon.jobs.config.job.JobConfig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The compose file is read by Compose's loader. The overlays are built by Kustomize; objects of
 * Kubernetes and of Prometheus' operator are decoded strictly into their types of Go, the
 * FlinkDeployment is held to the schema of the newest operator in Maven Central.
 */
class ContainerFilesTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path COMPOSE = Path.of("compose/compose.yaml").toAbsolutePath();
  private static final Path OVERLAYS = Path.of("kubernetes/overlays").toAbsolutePath();
  private static final String FLINK_CRD =
      "/META-INF/fabric8/flinkdeployments.flink.apache.org-v1.yml";

  @TempDir static Path folder;
  private static GoProgram program;

  @BeforeAll
  static void build() throws Exception {
    program = GoProgram.build(folder, "/containers", "compose file and Kubernetes' objects");
  }

  private static JsonNode load(String kind, Path file) throws Exception {
    GoProgram.Run run = program.run(List.of(kind, file.toString()));
    assertEquals(0, run.code(), run.err());
    return JSON.readTree(run.out());
  }

  private static List<Path> overlays() throws Exception {
    try (Stream<Path> all = Files.list(OVERLAYS)) {
      return all.sorted().toList();
    }
  }

  @Test
  void composeLoadsTheFileWithAllThatBelongsToIt() throws Exception {
    JsonNode project = load("compose", COMPOSE);
    Set<String> services = new TreeSet<>();
    project.get("services").fieldNames().forEachRemaining(services::add);
    assertEquals(
        Set.of(
            "collector",
            "generator",
            "grafana",
            "jobmanager",
            "kafka",
            "postgres",
            "prometheus",
            "server",
            "taskmanager"),
        services);
    for (JsonNode service : project.get("services")) {
      for (JsonNode volume : service.path("volumes")) {
        String source = volume.get("source").asText();
        assertTrue(
            !volume.get("type").asText().equals("bind") || Files.exists(Path.of(source)), source);
      }
      for (JsonNode port : service.path("ports")) {
        assertEquals("127.0.0.1", port.path("host_ip").asText(), port.toString());
      }
      for (JsonNode secret : service.path("secrets")) {
        assertTrue(project.get("secrets").has(secret.get("source").asText()), secret.toString());
      }
      if (service.has("build")) {
        Path context = Path.of(service.at("/build/context").asText());
        Path dockerfile = context.resolve(service.at("/build/dockerfile").asText()).normalize();
        String text = Files.readString(dockerfile);
        assertTrue(text.contains(" AS " + service.at("/build/target").asText()), text);
        assertTrue(service.at("/cap_drop/0").asText().equals("ALL"), service.toString());
      }
    }
  }

  @Test
  void flowmonsCommandsInContainersAreOnesThatItHas() throws Exception {
    List<List<String>> commands = new ArrayList<>();
    for (String name : List.of("collector", "server", "generator")) {
      commands.add(words(load("compose", COMPOSE).at("/services/" + name + "/command")));
    }
    for (Path overlay : overlays()) {
      for (JsonNode object : load("kustomize", overlay)) {
        for (JsonNode container : object.at("/spec/template/spec/containers")) {
          if (container.get("image").asText().contains("/flowmon:")) {
            commands.add(words(container.get("args")));
          }
        }
      }
    }
    assertEquals(3 + 2 * overlays().size(), commands.size());
    for (List<String> command : commands) {
      List<String> help = new ArrayList<>(command);
      help.add("--help"); // options before it are parsed
      CommandRun run = CommandRun.of(help.toArray());
      assertEquals(0, run.code(), command + run.err());
    }
  }

  private static List<String> words(JsonNode list) {
    List<String> words = new ArrayList<>();
    list.forEach(word -> words.add(word.asText()));
    return words;
  }

  @Test
  void theJobsConfigurationsAreRead() throws Exception {
    List<String> texts =
        new ArrayList<>(List.of(Files.readString(Path.of("compose/flowmon.yaml"))));
    for (Path overlay : overlays()) {
      for (JsonNode object : load("kustomize", overlay)) {
        if (object.path("data").has("flowmon.yaml")) {
          texts.add(object.at("/data/flowmon.yaml").asText());
        }
      }
    }
    assertEquals(1 + overlays().size(), texts.size());
    for (String text : texts) {
      assertEquals("flowmon", JobConfig.parse("flowmon.yaml", text).postgres().user());
    }
  }

  @Test
  void whatPodsNameExistsAndNoneRunsAsRoot() throws Exception {
    for (Path overlay : overlays()) {
      JsonNode all = load("kustomize", overlay);
      Set<String> names = new TreeSet<>();
      Set<String> labels = new TreeSet<>();
      List<JsonNode> pods = new ArrayList<>();
      for (JsonNode object : all) {
        names.add(object.get("kind").asText() + " " + object.at("/metadata/name").asText());
        for (String place : List.of("/spec/template", "/spec/podTemplate")) {
          if (object.at(place).isObject()) {
            pods.add(object.at(place));
            labels.add(object.at(place + "/metadata/labels/app").asText());
          }
        }
      }
      assertEquals(4, pods.size(), overlay.toString());
      for (JsonNode pod : pods) {
        assertTrue(pod.at("/spec/securityContext/runAsNonRoot").asBoolean(), pod.toString());
        for (JsonNode volume : pod.at("/spec/volumes")) {
          for (String[] kind :
              new String[][] {
                {"/configMap/name", "ConfigMap "},
                {"/persistentVolumeClaim/claimName", "PersistentVolumeClaim "}
              }) {
            String name = volume.at(kind[0]).asText();
            assertTrue(name.isEmpty() || names.contains(kind[1] + name), kind[1] + name + names);
          }
        }
      }
      for (JsonNode object : all) {
        for (String place : List.of("/spec/podSelector", "/spec/selector")) {
          String app = object.at(place + "/matchLabels/app").asText();
          assertTrue(app.isEmpty() || labels.contains(app), object.toString());
        }
      }
    }
  }

  /** By their names, alert rules and dashboards know which part a series is of. */
  @Test
  void scrapesOfContainersHaveTheNamesThatAlertRulesAskFor() throws Exception {
    Set<String> names = scrapes("prometheus");
    assertEquals(Set.of("flowmon-collector", "flowmon-job", "flowmon-serve"), names);
    assertEquals(names, scrapes("compose"));
    for (Path overlay : overlays()) {
      Set<String> found = new TreeSet<>();
      for (JsonNode object : load("kustomize", overlay)) {
        if (object.get("kind").asText().equals("PodMonitor")) {
          assertEquals("app", object.at("/spec/jobLabel").asText());
          found.add(object.at("/spec/selector/matchLabels/app").asText());
        }
      }
      assertEquals(Set.of("flowmon-collector", "flowmon-job"), found);
    }
  }

  private static Set<String> scrapes(String place) throws Exception {
    Set<String> names = new TreeSet<>();
    new YAMLMapper()
        .readTree(Path.of(place, "prometheus.yml").toFile())
        .get("scrape_configs")
        .forEach(scrape -> names.add(scrape.get("job_name").asText()));
    return names;
  }

  /** That operator knows Flink up to 1.20, hence only the value of flinkVersion is another. */
  @Test
  void theFlinkDeploymentIsThatOfTheOperatorsSchema() throws Exception {
    JsonNode crd;
    try (InputStream in = ContainerFilesTest.class.getResourceAsStream(FLINK_CRD)) {
      crd = new YAMLMapper().readTree(in);
    }
    JsonNode schema = null;
    for (JsonNode version : crd.at("/spec/versions")) {
      if (version.get("name").asText().equals("v1beta1")) {
        schema = version.at("/schema/openAPIV3Schema");
      }
    }
    close(schema.get("properties").get("spec"));
    var strict =
        SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_4)
            .getSchema(schema.toString(), InputFormat.JSON);
    int found = 0;
    for (Path overlay : overlays()) {
      for (JsonNode object : load("kustomize", overlay)) {
        if (object.get("kind").asText().equals("FlinkDeployment")) {
          found++;
          assertEquals("v2_3", object.at("/spec/flinkVersion").asText());
          assertEquals("savepoint", object.at("/spec/job/upgradeMode").asText());
          ((ObjectNode) object.get("spec")).put("flinkVersion", "v1_20");
          assertEquals(List.of(), strict.validate(object.toString(), InputFormat.JSON));
          ((ObjectNode) object.at("/spec/job")).put("upgradeModus", "savepoint");
          assertFalse(strict.validate(object.toString(), InputFormat.JSON).isEmpty());
        }
      }
    }
    assertEquals(overlays().size(), found);
  }

  /** The API server drops fields that a schema does not have; here they are errors. */
  private static void close(JsonNode schema) {
    if (schema instanceof ObjectNode object) {
      if (object.path("properties").isObject()
          && !object.has("additionalProperties")
          && !object.path("x-kubernetes-preserve-unknown-fields").asBoolean()) {
        object.put("additionalProperties", false);
      }
      object.path("properties").forEach(ContainerFilesTest::close);
      close(object.path("items"));
      close(object.path("additionalProperties"));
    }
  }

  @Test
  void aFieldThatKubernetesDoesNotHaveIsFound() throws Exception {
    Path place = Files.createDirectories(folder.resolve("wrong"));
    Files.writeString(place.resolve("kustomization.yaml"), "resources: [service.yaml]\n");
    Files.writeString(
        place.resolve("service.yaml"),
        "apiVersion: v1\nkind: Service\nmetadata: {name: one}\nspec: {port: 80}\n");
    GoProgram.Run run = program.run(List.of("kustomize", place.toString()));
    assertEquals(1, run.code());
    assertTrue(run.err().contains("unknown field \"port\""), run.err());
  }
}
