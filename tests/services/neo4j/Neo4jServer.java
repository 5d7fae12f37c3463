import java.nio.file.Path;
import java.util.Map;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;

/** A Neo4j with its Bolt door on loopback. Arguments: folder, port, password, configuration. It ends with its standard input. */
public class Neo4jServer {
    private static final long START_TIMEOUT_MS = 60_000;

    public static void main(String[] args) {
        try {
            serve(args);
            System.exit(0);
        } catch (Exception problem) {
            // Threads of the database would keep the process alive without anybody to talk to.
            problem.printStackTrace();
            System.exit(1);
        }
    }

    private static void serve(String[] args) throws Exception {
        var service = new DatabaseManagementServiceBuilder(Path.of(args[0]))
                .loadPropertiesFromFile(Path.of(args[3]))
                .setConfig(BoltConnector.enabled, true)
                .setConfig(BoltConnector.listen_address, new SocketAddress("127.0.0.1", Integer.parseInt(args[1])))
                .setConfig(GraphDatabaseSettings.pagecache_memory, 64L * 1024 * 1024)
                .setConfig(GraphDatabaseSettings.auth_enabled, true)
                .build();
        Runtime.getRuntime().addShutdownHook(new Thread(service::shutdown));
        if (!service.database("neo4j").isAvailable(START_TIMEOUT_MS)) {
            throw new IllegalStateException("the database did not start");
        }
        service.database("system").executeTransactionally(
                "CREATE OR REPLACE USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED", Map.of("password", args[2]));
        System.out.println("ready");
        while (System.in.read() >= 0) { }
    }
}
