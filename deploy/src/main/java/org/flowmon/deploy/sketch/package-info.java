/** flowmon sketch: states of aggregate functions from files, merged, compared and asked. */
package org.flowmon.deploy.sketch;
