/** {@code flowmon bench hostile}: what good traffic keeps while someone attacks beside it. */
package org.flowmon.deploy.bench.hostile;
