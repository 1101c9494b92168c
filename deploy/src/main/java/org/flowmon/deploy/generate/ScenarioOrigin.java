package org.flowmon.deploy.generate;

import java.io.IOException;
import java.util.List;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.ingest.synthetic.exporter.Faults;
import org.flowmon.ingest.synthetic.exporter.SimulatedRouter;
import org.flowmon.ingest.synthetic.scenario.Attack;
import org.flowmon.ingest.synthetic.scenario.Scenario;
import org.flowmon.ingest.synthetic.scenario.ScenarioTraffic;

/** The traffic of a scenario. */
record ScenarioOrigin(String name, Scenario scenario) implements FlowOrigin {
  @Override
  public String identity() {
    return scenario.toString();
  }

  @Override
  public long seed() {
    return scenario.run().seed();
  }

  @Override
  public List<SimulatedRouter> routers() {
    return scenario.routers();
  }

  @Override
  public Faults faults() {
    return scenario.faults();
  }

  @Override
  public List<Attack> attacks() {
    return scenario.attacks();
  }

  @Override
  public long durationMillis() {
    return scenario.run().duration().toMillis();
  }

  @Override
  public void forEach(FlowConsumer consumer) throws IOException {
    ScenarioTraffic traffic = new ScenarioTraffic(scenario);
    SyntheticFlow flow = new SyntheticFlow();
    boolean wanted = true;
    while (wanted && traffic.next(flow)) {
      wanted = consumer.accept(flow, traffic.nowMillis());
    }
  }
}
