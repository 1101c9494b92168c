package org.flowmon.deploy.serve.http;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The server's OpenAPI, which was written before it, as YAML and as JSON. */
public final class Contract {
  private static final String RESOURCE = "/org/flowmon/deploy/serve/openapi.yaml";

  private final byte[] yaml;
  private final byte[] json;

  private Contract(byte[] yaml, byte[] json) {
    this.yaml = yaml;
    this.json = json;
  }

  public static Contract read() {
    try (InputStream in = Contract.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IllegalStateException(RESOURCE + " is missing");
      }
      byte[] yaml = in.readAllBytes();
      Object tree =
          new Load(LoadSettings.builder().build())
              .loadFromString(new String(yaml, StandardCharsets.UTF_8));
      return new Contract(yaml, new ObjectMapper().writeValueAsBytes(tree));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public byte[] yaml() {
    return yaml;
  }

  public byte[] json() {
    return json;
  }
}
