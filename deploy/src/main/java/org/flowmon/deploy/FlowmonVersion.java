package org.flowmon.deploy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote into {@code version.properties}. */
final class FlowmonVersion implements IVersionProvider {
  private static final String RESOURCE = "version.properties";

  @Override
  public String[] getVersion() throws IOException {
    try (InputStream in = FlowmonVersion.class.getResourceAsStream(RESOURCE)) {
      if (in == null) {
        throw new IOException(RESOURCE + " is missing beside " + FlowmonVersion.class.getName());
      }
      Properties properties = new Properties();
      properties.load(in);
      return new String[] {"flowmon " + properties.getProperty("version")};
    }
  }
}
