// A job without a cluster, in a JVM of its own: ./flowmon run Job.java --config FILE
class Job {
  public static void main(String[] args) throws Exception {
    try {
      org.flowmon.jobs.main.FlowmonMain.main(args);
    } catch (org.flowmon.jobs.config.ConfigException e) {
      System.err.println(e.getMessage());   // file, line, key and what is expected
      System.exit(3);
    }
  }
}
