package org.flowmon.deploy.input;

import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import picocli.CommandLine.Option;

/** {@code --templates-by}: whose templates an exporter's data may use. */
public final class TemplatesByOption {
  @Option(
      names = "--templates-by",
      paramLabel = "session|address",
      defaultValue = "session",
      description = {
        "Whose templates IPFIX data may use: those of its own source port, or (address) of any port"
            + " of the exporter with the same observation domain. NetFlow v9 has no sessions: there"
            + " it is any port. Default ${DEFAULT-VALUE}."
      })
  private String templatesBy = TemplateScope.SESSION.label();

  /** Throws {@link UsageException} if it is neither. */
  public TemplateScope scope() {
    for (TemplateScope scope : TemplateScope.values()) {
      if (scope.label().equals(templatesBy)) {
        return scope;
      }
    }
    throw new UsageException(
        "--templates-by: expected session or address, found '" + templatesBy + "'");
  }
}
