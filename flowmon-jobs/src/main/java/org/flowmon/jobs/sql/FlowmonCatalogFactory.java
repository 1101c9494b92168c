package org.flowmon.jobs.sql;

import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.catalog.Catalog;
import org.apache.flink.table.factories.CatalogFactory;
import org.apache.flink.table.factories.FactoryUtil;

/** Makes catalogs {@code WITH ('type' = 'flowmon', 'archive' = '…')}. */
public final class FlowmonCatalogFactory implements CatalogFactory {
  @Override
  public String factoryIdentifier() {
    return FlowmonOptions.IDENTIFIER;
  }

  @Override
  public Set<ConfigOption<?>> requiredOptions() {
    return Set.of(FlowmonOptions.ARCHIVE);
  }

  @Override
  public Set<ConfigOption<?>> optionalOptions() {
    return Set.of();
  }

  @Override
  public Catalog createCatalog(Context context) {
    FactoryUtil.CatalogFactoryHelper helper = FactoryUtil.createCatalogFactoryHelper(this, context);
    helper.validateExcept(FlowmonOptions.STORE);
    return new FlowmonCatalog(
        context.getName(), helper.getOptions().get(FlowmonOptions.ARCHIVE), context.getOptions());
  }
}
