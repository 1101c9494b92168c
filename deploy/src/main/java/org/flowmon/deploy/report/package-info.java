/** The output of analyses in Kafka: reports, and alerts until they are resolved. */
package org.flowmon.deploy.report;
